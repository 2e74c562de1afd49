/** Which Pods of a Job are deleted first: those that are least far. The annotation pod-deletion-cost does not count, unlike for ReplicaSets. */

import { millisOf } from "@coxswain/machinery";
import { isPodReady, type Pod, readySince } from "../shared/pods/pod-state.ts";

/** A new list, first what should be deleted first. */
export const inRemovalOrder = (pods: readonly Pod[]): Pod[] =>
  [...pods].sort(
    (a, b) =>
      Number(isAssigned(a)) - Number(isAssigned(b)) ||
      phaseRank(a) - phaseRank(b) ||
      Number(isPodReady(a)) - Number(isPodReady(b)) ||
      laterFirst(readySince(a), readySince(b)) ||
      restarts(b) - restarts(a) ||
      laterFirst(millisOf(a.metadata?.creationTimestamp), millisOf(b.metadata?.creationTimestamp)),
  );

const isAssigned = ({ spec }: Pod): boolean => (spec?.nodeName ?? "") !== "";

const phaseRank = ({ status }: Pod): number => ["Pending", "Unknown", "Running"].indexOf(status?.phase ?? "Pending");

const restarts = ({ status }: Pod): number => Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount));

/** What has no time is before all that has. */
const laterFirst = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY): number => (a === b ? 0 : b - a > 0 ? 1 : -1);
