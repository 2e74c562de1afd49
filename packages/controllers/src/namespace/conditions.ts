/** What a Namespace that is being deleted says of its content. The texts are Kubernetes' own. */
import type { coreV1 } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";

export interface Findings {
  /** Why not all resources are known; `groups` is how many did not answer, where that is the reason. */
  readonly discovery?: { readonly error: Error; readonly groups?: number } | undefined;
  /** What went wrong while deleting, one for each resource at most. */
  readonly failures: readonly Error[];
  readonly remaining: readonly Remaining[];
}

/** Objects of one resource that are still there. */
export interface Remaining {
  readonly resource: string;
  readonly group: string;
  readonly count: number;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Finding {
  readonly reason: string;
  readonly message: string;
}

interface Topic {
  readonly type: string;
  readonly fine: Finding;
  readonly wrong: (findings: Findings) => Finding | undefined;
}

const topics: readonly Topic[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    fine: { reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
    wrong: ({ discovery }) => discovery && { reason: "DiscoveryFailed", message: discoveryMessage(discovery) },
  },
  {
    // Discovery returns groups and versions separately: there is nothing left to parse that could fail.
    type: "NamespaceDeletionGroupVersionParsingFailure",
    fine: { reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
    wrong: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    fine: { reason: "ContentDeleted", message: "All content successfully deleted, may be waiting on finalization" },
    wrong: ({ failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: "ContentDeletionFailed",
            message: `Failed to delete all resource types, ${failures.length} remaining: ${sorted(failures.map(({ message }) => message))}`,
          },
  },
  {
    type: "NamespaceContentRemaining",
    fine: { reason: "ContentRemoved", message: "All content successfully removed" },
    wrong: ({ remaining }) =>
      remaining.length === 0
        ? undefined
        : {
            reason: "SomeResourcesRemain",
            message: `Some resources are remaining: ${sorted(
              remaining.map(({ resource, group, count }) => `${resource}.${group} has ${count} resource instances`),
            )}`,
          },
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: { reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
    wrong: ({ remaining }) => {
      const held = heldBy(remaining);
      if (held.size === 0) return undefined;
      const counts = Array.from(held, ([finalizer, count]) => `${finalizer} in ${count} resource instances`);
      return { reason: "SomeFinalizersRemain", message: `Some content in the namespace has finalizers remaining: ${sorted(counts)}` };
    },
  },
];

/** Undefined when nothing in them would change. Conditions of other types stay as they are. */
export function nextConditions(
  conditions: readonly coreV1.NamespaceCondition[],
  findings: Findings,
  nowMs: number,
): coreV1.NamespaceCondition[] | undefined {
  const next = [...conditions];
  let changed = false;
  for (const { type, fine, wrong } of topics) {
    const finding = wrong(findings);
    const status = finding === undefined ? "False" : "True";
    const { reason, message } = finding ?? fine;
    const at = next.findIndex((one) => one.type === type);
    const before = next[at];
    if (before?.status === status && before.reason === reason && before.message === message) continue;
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : undefined;
    const condition = { type, status, lastTransitionTime: lastTransitionTime ?? wireTime(nowMs), reason, message };
    if (before === undefined) next.push(condition);
    else next[at] = condition;
    changed = true;
  }
  return changed ? next : undefined;
}

const discoveryMessage = ({ error, groups }: NonNullable<Findings["discovery"]>): string =>
  groups === undefined ? error.message : `Discovery failed for some groups, ${groups} failing: ${error.message}`;

function heldBy(remaining: readonly Remaining[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const { finalizers } of remaining) {
    for (const [finalizer, count] of finalizers) held.set(finalizer, (held.get(finalizer) ?? 0) + count);
  }
  return held;
}

const sorted = (texts: readonly string[]): string => [...texts].sort().join(", ");
