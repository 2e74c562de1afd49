import {
  controller,
  done,
  horizontalPodAutoscalers,
  loggedError,
  type Outcome,
  pods,
  type ReconcileContext,
  requeue,
  watching,
} from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { act } from "./act.ts";
import { type HpaKey, HpaMemory } from "./hpa-memory.ts";
import { defaults, type Hpa } from "./hpa-types.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";

/**
 * The horizontal-pod-autoscaler-controller gives a workload as many replicas as its metrics ask for, every 15 seconds.
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
export const horizontalPodAutoscalerController: BuiltInController = {
  name: "horizontal-pod-autoscaler-controller",
  serviceAccount: "horizontal-pod-autoscaler",
  aliases: ["horizontalpodautoscaling"],
  make: () => {
    const memory = new HpaMemory();
    return [
      controller<Hpa>({
        name: "horizontal-pod-autoscaler-controller",
        component: "horizontal-pod-autoscaler",
        for: horizontalPodAutoscalers,
        // Pods are listed, and their changes cause no reconcile.
        watches: [watching(pods, () => [])],
        concurrency: 5,
        reconcile: ({ namespace = "", name }, ctx) => reconcile({ namespace, name }, ctx, memory),
      }),
    ];
  },
};

async function reconcile(key: HpaKey, ctx: ReconcileContext<Hpa>, memory: HpaMemory): Promise<Outcome> {
  const { object: hpa, client, log } = ctx;
  if (hpa === undefined) {
    memory.forget(key);
    return done;
  }
  const waitMs = memory.waitMs(key, client.clock.monotonic());
  if (waitMs > 0) return requeue(waitMs);
  try {
    const observed = await observe(key, ctx, hpa, memory);
    await act(ctx, { key, memory }, observed, plan(observed));
    memory.isNewProblem(key, undefined);
  } catch (error) {
    ctx.signal.throwIfAborted();
    // Tried again after the usual period. Conditions and Events have the error too.
    const fields = { error: loggedError(error) };
    log[memory.isNewProblem(key, messageOf(error)) ? "warn" : "debug"](fields, "failed to autoscale target");
  } finally {
    memory.reconciled(key, client.clock.monotonic());
  }
  return requeue(defaults.syncPeriodMs);
}
