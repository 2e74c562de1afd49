import {
  done,
  type EventRecorder,
  isObjectNotFound,
  type ObjectRef,
  type Outcome,
  pods,
  type ReconcileContext,
  requeue,
} from "@coxswain/client";
import { wireTime } from "@coxswain/machinery";
import { type Pod, podCondition } from "../shared/pods/pod-state.ts";
import type { Deadlines } from "./observe.ts";
import type { EvictionPlan } from "./plan.ts";

export async function act(ref: ObjectRef, ctx: ReconcileContext<Pod>, planned: EvictionPlan, deadlines: Deadlines): Promise<Outcome> {
  const key = `${ref.namespace}/${ref.name}`;
  switch (planned.do) {
    case "keep":
      deadlines.delete(key);
      if (planned.cancels) recordEviction(ctx.events, ref, `Cancelling deletion of Pod ${key}`);
      return done;
    case "wait":
      deadlines.set(key, { uid: planned.uid, atMs: planned.atMs });
      return requeue(planned.afterMs);
    case "evict":
      deadlines.set(key, { uid: planned.uid, atMs: planned.atMs });
      recordEviction(ctx.events, ref, `Marking for deletion Pod ${key}`);
      await evict(planned.pod, ctx);
      deadlines.delete(key);
      return done;
  }
}

function recordEviction(events: EventRecorder, { namespace, name }: ObjectRef, message: string): void {
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
