import { controller, horizontalPodAutoscalers, pods, watching } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { HpaMemory } from "./hpa-memory.ts";
import type { Hpa } from "./hpa-types.ts";
import { reconcileHpa } from "./reconcile.ts";

/** Gives a workload as many replicas as its metrics ask for. */
export const horizontalPodAutoscalerController: BuiltInController = {
  name: "horizontal-pod-autoscaler-controller",
  aliases: ["horizontalpodautoscaling"],
  make: () => {
    const memory = new HpaMemory();
    return [
      controller<Hpa>({
        name: "horizontal-pod-autoscaler-controller",
        component: "horizontal-pod-autoscaler",
        for: horizontalPodAutoscalers,
        // Pods are looked up, and wake nobody.
        watches: [watching(pods, () => [])],
        concurrency: 5,
        reconcile: ({ namespace = "", name }, ctx) => reconcileHpa({ namespace, name }, ctx, memory),
      }),
    ];
  },
};
