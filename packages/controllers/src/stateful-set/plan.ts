/**
 * What to do about the Pods of a StatefulSet. In order, each Pod waits for those before it to be available; in
 * parallel, none waits. Scaling comes before updating.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees
 */
import { isPodReady, isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import { isStale, ownersAreRight } from "./claim-owners.ts";
import {
  claimsOf,
  identityMatches,
  isInRange,
  placeOf,
  type StatefulSet,
  startOf,
  storageMatches,
  type VolumeClaim,
  wantedOf,
} from "./identity.ts";
import { planUpdates } from "./plan-updates.ts";
import { podAt } from "./pod-of-set.ts";
import { isAvailableIn, isBeingDeleted, isCreated, isOrdered, isUnavailableIn, type ObservedSet } from "./set-state.ts";

export type Step =
  /** Its claims first. */
  | { readonly do: "create"; readonly pod: Pod }
  | { readonly do: "delete"; readonly pod: Pod }
  /** Creates claims that are missing, and gives all of them the right owners. */
  | { readonly do: "completeClaims"; readonly pod: Pod }
  | { readonly do: "alignClaims"; readonly pod: Pod }
  /** Gives it its identity, volumes and claims. */
  | { readonly do: "repair"; readonly pod: Pod };

export interface PodsPlan {
  /** Of no phase anything is done before all of the one before has succeeded. */
  readonly phases: readonly (readonly Step[])[];
  /** Pods to delete at last, so that they come back with the new template. */
  readonly updates: readonly Pod[];
}

const nothing: PodsPlan = { phases: [], updates: [] };

export function plan(observed: ObservedSet): PodsPlan {
  if (observed.set.metadata?.deletionTimestamp !== undefined) return nothing;
  const { replicas, condemned } = placesOf(observed);
  const kept = planReplicas(observed, replicas);
  if (kept.waits) return { phases: kept.phases, updates: [] };
  const scaling = planScaleDown(observed, condemned, firstUnavailable(observed, replicas, condemned));
  const phases = [...kept.phases, ...scaling.phases].filter((phase) => phase.length > 0);
  return { phases, updates: scaling.waits ? [] : planUpdates(observed, replicas) };
}

interface PartialPlan {
  readonly phases: readonly (readonly Step[])[];
  /** In order: the rest comes another time. */
  readonly waits: boolean;
}

/**
 * `replicas` by ordinal, with Pods yet to be created where there are none, in order only the first of them: nothing after
 * it matters. `condemned` are too many, the highest first.
 */
function placesOf({ set, revisions, pods }: ObservedSet): { readonly replicas: readonly Pod[]; readonly condemned: readonly Pod[] } {
  const byOrdinal = new Map(pods.flatMap((pod) => (isInRange(set, pod) ? [[ordinalOf(pod), pod]] : [])));
  const replicas: Pod[] = [];
  for (let ordinal = startOf(set); replicas.length < wantedOf(set); ordinal++) {
    const pod = byOrdinal.get(ordinal);
    replicas.push(pod ?? podAt(set, revisions, ordinal));
    if (pod === undefined && isOrdered(set)) break;
  }
  const condemned = pods.filter((pod) => placeOf(pod) !== undefined && !isInRange(set, pod));
  return { replicas, condemned: condemned.sort((a, b) => ordinalOf(b) - ordinalOf(a)) };
}

const ordinalOf = (pod: Pod): number => placeOf(pod)?.ordinal ?? -1;

function firstUnavailable(observed: ObservedSet, replicas: readonly Pod[], condemned: readonly Pod[]): Pod | undefined {
  const isUnavailable = (pod: Pod): boolean => isUnavailableIn(observed, pod);
  return replicas.find(isUnavailable) ?? condemned.findLast(isUnavailable);
}

/** In order, what comes after one that is not available yet has to wait. */
function planReplicas(observed: ObservedSet, replicas: readonly Pod[]): PartialPlan {
  const inOrder = isOrdered(observed.set);
  const repairs: Step[] = [];
  const steps: Step[] = [];
  for (const pod of replicas) {
    const step = stepFor(observed, pod);
    if (step !== undefined) steps.push(step);
    const waits = isPodTerminal(pod) || isUnavailableIn(observed, pod) || !isRunningAndReady(pod);
    if (inOrder && waits) return { phases: [repairs, steps], waits };
    if (isCreated(pod) && !isPodTerminal(pod) && needsRepair(observed, pod)) repairs.push({ do: "repair", pod });
  }
  return { phases: [repairs, steps], waits: false };
}

const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isPodReady(pod);

function stepFor({ set, claimNamed }: ObservedSet, pod: Pod): Step | undefined {
  if (isPodTerminal(pod)) return isBeingDeleted(pod) ? undefined : { do: "delete", pod };
  if (!isCreated(pod)) return claimsIn(set, pod, claimNamed).some((claim) => isStale(claim, set, pod)) ? undefined : { do: "create", pod };
  if (pod.status?.phase !== "Pending") return undefined;
  const claims = claimsIn(set, pod, claimNamed);
  const isComplete =
    claims.length === claimsOf(set, pod).length && claims.every(({ metadata }) => metadata?.deletionTimestamp === undefined);
  return isComplete && claims.every((claim) => ownersAreRight(claim, set, pod)) ? undefined : { do: "completeClaims", pod };
}

const needsRepair = ({ set, claimNamed }: ObservedSet, pod: Pod): boolean =>
  !identityMatches(set, pod) ||
  !storageMatches(set, pod) ||
  !claimsIn(set, pod, claimNamed).every((claim) => ownersAreRight(claim, set, pod));

const claimsIn = (set: StatefulSet, pod: Pod, claimNamed: ObservedSet["claimNamed"]): VolumeClaim[] =>
  claimsOf(set, pod)
    .map(({ metadata }) => claimNamed(metadata?.name ?? ""))
    .filter((claim) => claim !== undefined);

/** In order, one Pod goes at a time, from the highest ordinal, and all but that one must be available. */
function planScaleDown(observed: ObservedSet, condemned: readonly Pod[], sick: Pod | undefined): PartialPlan {
  const { set, claimNamed } = observed;
  const align = condemned.flatMap((pod): Step[] =>
    claimsIn(set, pod, claimNamed).every((claim) => ownersAreRight(claim, set, pod)) ? [] : [{ do: "alignClaims", pod }],
  );
  const remove = (pods: readonly Pod[]): Step[] => pods.map((pod) => ({ do: "delete", pod }));
  if (!isOrdered(set)) return { phases: [align, remove(condemned.filter((pod) => !isBeingDeleted(pod)))], waits: false };
  const [next] = condemned;
  if (next === undefined) return { phases: [], waits: false };
  const mayGo = !isBeingDeleted(next) && (next === sick || (isRunningAndReady(next) && isAvailableIn(observed, next)));
  return { phases: [align, mayGo ? remove([next]) : []], waits: true };
}
