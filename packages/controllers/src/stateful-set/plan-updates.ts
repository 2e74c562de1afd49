/**
 * Which Pods to replace by those of a new template.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#rolling-updates
 */

import { isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import { scaledValue } from "../shared/workloads/scaled-value.ts";
import { revisionOf, wantedOf } from "./identity.ts";
import { isBeingDeleted, isUnavailableIn, type ObservedSet } from "./set-state.ts";

/** `replicas` by ordinal; of them the highest go first. */
export function planUpdates(observed: ObservedSet, replicas: readonly Pod[]): readonly Pod[] {
  const { type, rollingUpdate } = observed.set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return [];
  const highestFirst = replicas.slice(rollingUpdate?.partition ?? 0).reverse();
  const { maxUnavailable } = rollingUpdate ?? {};
  // Only servers on which its feature is enabled keep the field.
  return maxUnavailable === undefined
    ? nextOne(observed, highestFirst)
    : asManyAsMay(observed, replicas, highestFirst, Math.max(1, scaledValue(maxUnavailable, wantedOf(observed.set), Math.floor)));
}

/** One at a time: the next when all above it are available with the new template. */
function nextOne(observed: ObservedSet, highestFirst: readonly Pod[]): readonly Pod[] {
  const target = highestFirst.find((pod) => isOld(observed, pod) || isUnavailableIn(observed, pod));
  return target !== undefined && isOld(observed, target) ? [target] : [];
}

function asManyAsMay(observed: ObservedSet, replicas: readonly Pod[], highestFirst: readonly Pod[], most: number): readonly Pod[] {
  const unavailable = replicas.filter((pod) => isUnavailableIn(observed, pod)).length;
  return highestFirst.filter((pod) => isOld(observed, pod)).slice(0, Math.max(0, most - unavailable));
}

/** What has ended is replaced anyway. */
const isOld = ({ revisions }: ObservedSet, pod: Pod): boolean =>
  revisionOf(pod) !== revisions.update.name && !isBeingDeleted(pod) && !isPodTerminal(pod);
