/** What the status says of the Pods. */
import type { appsV1 } from "@coxswain/api";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { revisionOf, wantedOf } from "./identity.ts";
import { isAvailableIn, isBeingDeleted, isCreated, type ObservedSet } from "./set-state.ts";

type Status = appsV1.StatefulSetStatus;

/** `replaced`: Pods that were just deleted for the update. Undefined when nothing in it would change. */
export function nextStatus(observed: ObservedSet, replaced: number): Status | undefined {
  const next = withCompletion(observed, countPods(observed, replaced));
  const { status } = observed.set;
  return isNews(next, status) ? next : undefined;
}

function countPods(observed: ObservedSet, replaced: number): Status {
  const { set, pods, revisions } = observed;
  const { current, update, collisionCount } = revisions;
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod));
  const staying = pods.filter((pod) => isCreated(pod) && !isBeingDeleted(pod));
  const ofRevision = (name: string): Pod[] => staying.filter((pod) => revisionOf(pod) === name);
  return {
    ...(set.metadata?.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    replicas: pods.filter(isCreated).length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailableIn(observed, pod)).length,
    currentReplicas: ofRevision(current.name).length - replaced,
    updatedReplicas: ofRevision(update.name).length,
    currentRevision: current.name,
    updateRevision: update.name,
    collisionCount,
  };
}

/** Once all Pods are of the new template and ready, it is the current one. */
function withCompletion({ set }: ObservedSet, status: Status): Status {
  const wanted = wantedOf(set);
  const { replicas, readyReplicas, updatedReplicas = 0, updateRevision = "" } = status;
  const isComplete = [replicas, readyReplicas, updatedReplicas].every((count) => count === wanted);
  if (set.spec?.updateStrategy?.type !== "RollingUpdate" || !isComplete) return status;
  return { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision };
}

const counts = ["replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas"] as const;
const names = ["currentRevision", "updateRevision"] as const;

const isNews = (next: Status, status: Status | undefined): boolean =>
  (next.observedGeneration ?? 0) > (status?.observedGeneration ?? 0) ||
  counts.some((count) => (next[count] ?? 0) !== (status?.[count] ?? 0)) ||
  names.some((name) => (next[name] ?? "") !== (status?.[name] ?? ""));
