/** Keeps Pods from nodes where a host port that they want is taken. */

import { newPodInfo } from "../../framework/new-pod-info.ts";
import { type PluginFactory, type SchedulerPlugin, skip } from "../../framework/plugin.ts";
import type { HostPort, Pod, PodInfo } from "../../framework/pod-info.ts";
import { unschedulable } from "../../framework/status.ts";
import { podOf, readOnce } from "../event-objects.ts";

const taken = unschedulable("node(s) didn't have free ports for the requested pod ports");

export const nodePorts: PluginFactory = () => plugin(readOnce(newPodInfo));

const plugin = (infoOf: (pod: Pod) => PodInfo): SchedulerPlugin => ({
  name: "NodePorts",
  events: [
    {
      event: { resource: "AssignedPod", actions: ["delete"] },
      hint: ({ hostPorts }, before) => {
        const gone = podOf(before);
        return gone === undefined || areTaken(hostPorts, infoOf(gone).hostPorts);
      },
    },
    { event: { resource: "Node", actions: ["add"] } },
  ],
  preFilter: (_, { hostPorts }) => (hostPorts.length === 0 ? skip : undefined),
  filter: (_, { hostPorts }, { usedPorts }) => (areTaken(hostPorts, usedPorts) ? taken : undefined),
});

const areTaken = (wanted: readonly HostPort[], used: readonly HostPort[]): boolean =>
  used.length > 0 && wanted.some((one) => used.some((other) => collide(one, other)));

/** A port of all addresses is one of each. */
const collide = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === everywhere || b.ip === everywhere);

const everywhere = "0.0.0.0";
