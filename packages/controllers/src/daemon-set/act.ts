/** Does what a plan says, and tells of what has ended. */
import { daemonSets, isNamespaceTerminating, type ReconcileContext } from "@coxswain/client";
import { podControl } from "../shared/pods/pod-control.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { type DaemonSet, daemonPod } from "./daemon-pod.ts";
import type { FailedPods } from "./failed-pods.ts";
import type { DaemonPlan, EndedPod } from "./plan.ts";

type Context = Pick<ReconcileContext<DaemonSet>, "client" | "events" | "signal">;

/** So many at a time; the rest follows once the caches show these. */
const burst = 250;

/** Resolves with what went wrong: the status tells of the rest all the same. */
export async function performPlan(
  ctx: Context,
  daemonSet: DaemonSet,
  hash: string,
  plan: DaemonPlan,
  failures: FailedPods,
): Promise<unknown> {
  for (const ended of plan.ended) tellEnded(ctx, daemonSet, ended, failures);
  const { client, events, signal } = ctx;
  const control = podControl({ client, events, signal, owner: daemonSet, ownerRef: daemonSets });
  const nodes = plan.create.slice(0, burst).values();
  const { error } = await slowStart(Math.min(plan.create.length, burst), () =>
    control.create(daemonPod(daemonSet, hash, nodes.next().value ?? "")).catch((refused: unknown) => {
      // Every creation fails there from now on, and nobody needs it.
      if (!isNamespaceTerminating(refused)) throw refused;
    }),
  );
  const deletions = await Promise.allSettled(plan.delete.slice(0, burst).map((pod) => control.delete(pod)));
  return error ?? deletions.find((deletion) => deletion.status === "rejected")?.reason;
}

function tellEnded({ client, events }: Context, daemonSet: DaemonSet, { pod, node }: EndedPod, failures: FailedPods): void {
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
