/**
 * Keeps Pods out of the queue until others have taken their gates away.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
 */
import type { PluginFactory } from "../../framework/plugin.ts";
import { unschedulableAndUnresolvable } from "../../framework/status.ts";

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
    return gates.length === 0
      ? undefined
      : unschedulableAndUnresolvable(`waiting for scheduling gates: [${gates.map(({ name }) => name).join(" ")}]`);
  },
});
