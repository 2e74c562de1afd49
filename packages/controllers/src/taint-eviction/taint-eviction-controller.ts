import {
  type Controller,
  controller,
  done,
  type EventRecorder,
  isObjectNotFound,
  nodes,
  type ObjectRef,
  type Outcome,
  pods,
  type ReconcileContext,
  requeue,
  watching,
} from "@coxswain/client";
import { deepEqual, wireTime } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { byNode, podsByNode } from "../shared/pods/by-node.ts";
import { type Pod, podCondition } from "../shared/pods/pod-state.ts";
import { driving, toleratedSeconds } from "./tolerations.ts";

/** Deletes Pods that do not tolerate what their Nodes are tainted with, at once or after as long as they do. */
export const taintEvictionController: BuiltInController = {
  name: "taint-eviction-controller",
  make: () => [evicting(new Map())],
};

/** When each Pod's time is up, by the monotonic clock: a calendar that is set back keeps no Pod. */
type Deadlines = Map<string, { readonly uid: string; readonly atMs: number }>;

const evicting = (deadlines: Deadlines): Controller =>
  controller<Pod>({
    name: "taint-eviction-controller",
    for: pods,
    indexes: podsByNode,
    predicate: (change) => change.type !== "updated" || !deepEqual(whatCounts(change.previous), whatCounts(change.object)),
    watches: [
      watching(
        nodes,
        ({ metadata }, _change, { cache }) =>
          cache(pods)
            .byIndex(byNode, metadata?.name ?? "")
            .map(refTo),
        {
          // One that comes may find Pods that were there before it.
          predicate: (change) =>
            change.type === "added" ||
            (change.type === "updated" && !deepEqual(driving(change.previous.spec?.taints), driving(change.object.spec?.taints))),
        },
      ),
    ],
    concurrency: 8,
    reconcile: (ref, ctx) => reconcilePod(ref, ctx, deadlines),
  });

const whatCounts = ({ metadata, spec }: Pod): unknown => [metadata?.deletionTimestamp, spec?.nodeName, spec?.tolerations];

const refTo = ({ metadata }: Pod): ObjectRef => ({ namespace: metadata?.namespace, name: metadata?.name ?? "" });

async function reconcilePod(ref: ObjectRef, ctx: ReconcileContext<Pod>, deadlines: Deadlines): Promise<Outcome> {
  const { object: pod, cache, client } = ctx;
  const key = `${ref.namespace}/${ref.name}`;
  const before = deadlines.get(key);
  const known = before?.uid === pod?.metadata?.uid ? before : undefined;
  const node = cache(nodes).get({ name: pod?.spec?.nodeName ?? "" });
  const taints = driving(node?.spec?.taints);
  const seconds =
    pod === undefined || taints.length === 0 ? Number.POSITIVE_INFINITY : toleratedSeconds(taints, pod.spec?.tolerations ?? []);
  const isGoing = pod?.metadata?.deletionTimestamp !== undefined;
  if (pod === undefined || isGoing || seconds === Number.POSITIVE_INFINITY) {
    deadlines.delete(key);
    if (before !== undefined && !isGoing) tell(ctx.events, ref, `Cancelling deletion of Pod ${key}`);
    return done;
  }
  const nowMs = client.clock.monotonic();
  // Other taints that come in between do not make its time begin anew.
  const atMs = seconds === 0 ? nowMs : (known?.atMs ?? nowMs + seconds * 1000);
  deadlines.set(key, { uid: pod.metadata?.uid ?? "", atMs });
  if (nowMs < atMs) return requeue(atMs - nowMs);
  tell(ctx.events, ref, `Marking for deletion Pod ${key}`);
  await evict(pod, ctx);
  deadlines.delete(key);
  return done;
}

function tell(events: EventRecorder, { namespace, name }: ObjectRef, message: string): void {
  const about = { metadata: { ...(namespace === undefined ? {} : { namespace }), name } };
  events.record(about, { type: "Normal", reason: "TaintManagerEviction", message }, pods);
}

async function evict(pod: Pod, { client, signal }: ReconcileContext<Pod>): Promise<void> {
  const { name = "", namespace, uid = "" } = pod.metadata ?? {};
  const resource = client.resource(pods, namespace);
  try {
    if (podCondition(pod, "DisruptionTarget")?.reason !== reason) {
      const patch = { metadata: { uid }, status: { conditions: [disruption(pod, client.clock.now())] } };
      await resource.patch(name, { type: "strategic", patch }, { signal, subresource: "status" });
    }
    await resource.delete(name, { signal, ...(uid === "" ? {} : { preconditions: { uid } }) });
  } catch (error) {
    if (!isObjectNotFound(error, pods, name)) throw error;
  }
}

const reason = "DeletionByTaintManager";

const disruption = ({ metadata }: Pod, nowMs: number) => ({
  type: "DisruptionTarget",
  status: "True",
  reason,
  message: "Taint manager: deleting due to NoExecute taint",
  observedGeneration: metadata?.generation,
  lastTransitionTime: wireTime(nowMs),
});
