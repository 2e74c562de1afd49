/**
 * Keeps Pods out of the queue until others have taken their gates away.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
 */
import type { PluginFactory } from "../../framework/plugin.ts";
import { unresolvable } from "../../framework/verdict.ts";

export const schedulingGates: PluginFactory = () => ({
  name: "SchedulingGates",
  events: [
    {
      event: { resource: "UnscheduledPod", actions: ["updateGates"] },
      hint: ({ uid }, _, after) => after?.metadata?.uid === uid,
    },
  ],
  preEnqueue: ({ pod }) => {
    const gates = pod.spec?.schedulingGates ?? [];
    return gates.length === 0 ? undefined : unresolvable(`waiting for scheduling gates: [${gates.map(({ name }) => name).join(" ")}]`);
  },
});
