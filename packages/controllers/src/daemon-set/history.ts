/**
 * The revision that holds a DaemonSet's template, and those that were before it.
 * @see https://kubernetes.io/docs/tasks/manage-daemon/rollback-daemon-set/#understanding-daemonset-revisions
 */
import { controllerRevisions, daemonSets, isAlreadyExists, pods, type ReconcileContext } from "@coxswain/client";
import { controllerReference } from "../shared/pods/claim.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { templateHash } from "../shared/pods/template-hash.ts";
import { forget, inRevisionOrder, nameOf, nextRevisionNumber, renumber } from "../shared/revisions/history.ts";
import { type ControllerRevision, holdsTemplate, revisionData } from "../shared/revisions/revision-data.ts";
import { type DaemonSet, hashLabel } from "./daemon-pod.ts";

export interface HistoryPlan {
  /** Of the current revision: it is the newest. */
  readonly number: number;
  /** Undefined when it is yet to be created. */
  readonly current: ControllerRevision | undefined;
  /** Others that hold the same template. */
  readonly duplicates: readonly ControllerRevision[];
  /** In order. */
  readonly old: readonly ControllerRevision[];
}

export function planHistory(daemonSet: DaemonSet, revisions: readonly ControllerRevision[]): HistoryPlan {
  const template = templateOf(daemonSet);
  const ordered = inRevisionOrder(revisions);
  const old = ordered.filter((revision) => !holdsTemplate(revision, template));
  const equal = ordered.filter((revision) => holdsTemplate(revision, template));
  const current = equal.at(-1);
  const next = nextRevisionNumber(old);
  const number = current !== undefined && current.revision > next ? current.revision : next;
  return { number, current, duplicates: equal.slice(0, -1), old };
}

/** Those beyond the limit that no Pod is of any more, the oldest first; `old` in order. */
export function surplusRevisions(
  { spec }: DaemonSet,
  old: readonly ControllerRevision[],
  all: readonly Pod[],
): readonly ControllerRevision[] {
  const live = new Set(all.map(hashOf));
  const unused = old.filter((revision) => !live.has(hashOf(revision)));
  return unused.slice(0, Math.max(0, old.length - (spec?.revisionHistoryLimit ?? 10)));
}

export const hashOf = ({ metadata }: ControllerRevision | Pod): string => metadata?.labels?.[hashLabel] ?? "";

type Context = Pick<ReconcileContext<DaemonSet>, "client" | "signal">;

/** Resolves with the hash of the current revision, which is there, alone and the newest then, and with the others. */
export async function settleHistory(
  ctx: Context,
  daemonSet: DaemonSet,
  revisions: readonly ControllerRevision[],
  all: readonly Pod[],
): Promise<{ readonly hash: string; readonly old: readonly ControllerRevision[] }> {
  const labelled = await Promise.all(revisions.map((revision) => withHash(ctx, revision)));
  const { current, duplicates, number, old } = planHistory(daemonSet, labelled);
  if (current === undefined) return { hash: hashOf(await create(ctx, daemonSet, number)), old };
  const hash = hashOf(current);
  if (duplicates.length > 0) await unite(ctx, duplicates, all, hash);
  if (current.revision !== number) await renumber(ctx, current, number);
  return { hash, old };
}

const templateOf = ({ spec }: DaemonSet) => spec?.template ?? {};

/** What was made before revisions had hashes goes by its name. */
async function withHash({ client, signal }: Context, revision: ControllerRevision): Promise<ControllerRevision> {
  const { namespace, labels } = revision.metadata ?? {};
  if (labels?.[hashLabel] !== undefined) return revision;
  const metadata = { ...revision.metadata, labels: { ...labels, [hashLabel]: nameOf(revision) } };
  return await client.resource(controllerRevisions, namespace).update({ ...revision, metadata }, { signal });
}

async function unite(ctx: Context, duplicates: readonly ControllerRevision[], all: readonly Pod[], hash: string): Promise<void> {
  const hashes = new Set(duplicates.map(hashOf));
  for (const { metadata: { namespace, name = "", uid } = {} } of all.filter((pod) => hashes.has(hashOf(pod)))) {
    const patch = { metadata: { uid, labels: { [hashLabel]: hash } } };
    await ctx.client.resource(pods).patch({ namespace, name }, { type: "merge", patch }, { signal: ctx.signal });
  }
  await forget(ctx, duplicates);
}

async function create(ctx: Context, daemonSet: DaemonSet, revision: number): Promise<ControllerRevision> {
  const { namespace, name: owner, annotations } = daemonSet.metadata ?? {};
  const template = templateOf(daemonSet);
  const hash = templateHash(template, daemonSet.status?.collisionCount);
  const name = `${owner}-${hash}`;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const ownerReferences = [controllerReference(daemonSet, daemonSets)];
  const metadata = { name, labels, ...(annotations === undefined ? {} : { annotations }), ownerReferences };
  const resource = ctx.client.resource(controllerRevisions, namespace);
  try {
    return await resource.create({ metadata, data: revisionData(template), revision }, { signal: ctx.signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await resource.get(name, { signal: ctx.signal });
    if (holdsTemplate(existing, template)) return existing;
    await countCollision(ctx, daemonSet);
    throw error;
  }
}

/** The next attempt takes another name. Who counts from an old status is refused. */
async function countCollision({ client, signal }: Context, daemonSet: DaemonSet): Promise<void> {
  const { status, metadata } = daemonSet;
  const counts = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
  const next = { ...counts, ...status, collisionCount: (status?.collisionCount ?? 0) + 1 };
  await client.resource(daemonSets, metadata?.namespace).updateStatus({ ...daemonSet, status: next }, { signal });
}
