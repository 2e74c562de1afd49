/** Does what the plan says, and records Events of Pods that have ended. */
import { daemonSets, done, isNamespaceTerminating, type Outcome, type ReconcileContext, requeue } from "@coxswain/client";
import { podControl } from "../shared/pods/pod-control.ts";
import { nextAvailabilityMs } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { forget } from "../shared/revisions/history.ts";
import { type DaemonSet, daemonPod } from "./daemon-pod.ts";
import type { FailedPods } from "./failed-pods.ts";
import { surplusRevisions } from "./history.ts";
import type { ObservedDaemons } from "./observe.ts";
import type { DaemonPlan, EndedPod } from "./plan.ts";
import { nextStatus } from "./status.ts";

type Context = Pick<ReconcileContext<DaemonSet>, "client" | "events" | "signal">;

/** At most so many Pods at a time; the rest follows once the caches show these. */
const burst = 250;

/** Creates and deletes Pods, writes the status, and truncates the history. @throws what creating or deleting failed with, after the status */
export async function act(
  ctx: ReconcileContext<DaemonSet>,
  observed: ObservedDaemons,
  planned: DaemonPlan,
  failures: FailedPods,
): Promise<Outcome> {
  const { daemonSet, pods, oldRevisions } = observed;
  for (const ended of planned.ended) reportEnded(ctx, daemonSet, ended, failures);
  const failure = await actOnPods(ctx, observed, planned);
  await writeStatus(ctx, observed);
  if (failure !== undefined) throw failure;
  await forget(ctx, surplusRevisions(daemonSet, oldRevisions, pods));
  return nextReconcile(observed, planned.againMs);
}

/** Resolves with the first error: the status reports the rest all the same. */
async function actOnPods({ client, events, signal }: Context, { daemonSet, hash }: ObservedDaemons, planned: DaemonPlan): Promise<unknown> {
  const control = podControl({ client, events, signal, owner: daemonSet, ownerRef: daemonSets });
  const nodes = planned.create.slice(0, burst).values();
  const { error } = await slowStart(Math.min(planned.create.length, burst), () =>
    control.create(daemonPod(daemonSet, hash, nodes.next().value ?? "")).catch((rejected: unknown) => {
      // Every creation fails there from now on, and none is needed.
      if (!isNamespaceTerminating(rejected)) throw rejected;
    }),
  );
  const deletions = await Promise.allSettled(planned.delete.slice(0, burst).map((pod) => control.delete(pod)));
  return error ?? deletions.find((deletion) => deletion.status === "rejected")?.reason;
}

async function writeStatus({ client, signal }: Context, observed: ObservedDaemons): Promise<void> {
  const { daemonSet } = observed;
  const status = nextStatus(observed);
  if (status === undefined) return;
  await client.resource(daemonSets, daemonSet.metadata?.namespace).updateStatus({ ...daemonSet, status }, { signal });
}

/** When time alone changes something. */
function nextReconcile({ daemonSet, pods, nowMs }: ObservedDaemons, againMs: number | undefined): Outcome {
  const availableMs = nextAvailabilityMs(pods, daemonSet.spec?.minReadySeconds ?? 0, nowMs);
  const times = [availableMs, againMs].filter((time) => time !== undefined);
  return times.length === 0 ? done : requeue(Math.min(...times));
}

function reportEnded({ client, events }: Context, daemonSet: DaemonSet, { pod, node }: EndedPod, failures: FailedPods): void {
  const about = `daemon pod ${pod.metadata?.namespace}/${pod.metadata?.name} on node ${node}`;
  if (pod.status?.phase === "Failed") {
    failures.replaced(daemonSet, node, client.clock.monotonic());
    const message = `Found failed ${about}, will try to kill it`;
    events.record(daemonSet, { type: "Warning", reason: "FailedDaemonPod", message }, daemonSets);
  } else {
    const message = `Found succeeded ${about}, will try to delete it`;
    events.record(daemonSet, { type: "Normal", reason: "SucceededDaemonPod", message }, daemonSets);
  }
}
