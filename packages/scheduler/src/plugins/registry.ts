/** The plugins that come with the scheduler. */
import type { PluginFactory } from "../framework/plugin.ts";
import { defaultBinder } from "./default-binder/default-binder.ts";
import { defaultPreemption } from "./default-preemption/default-preemption.ts";
import { dynamicResources } from "./dynamic-resources/dynamic-resources.ts";
import { imageLocality } from "./image-locality/image-locality.ts";
import { interPodAffinity } from "./inter-pod-affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity/node-affinity.ts";
import { nodeDeclaredFeatures } from "./node-declared-features/node-declared-features.ts";
import { nodeName } from "./node-name/node-name.ts";
import { nodePorts } from "./node-ports/node-ports.ts";
import { nodeResourcesBalancedAllocation } from "./node-resources/balanced-allocation.ts";
import { nodeResourcesFit } from "./node-resources/fit.ts";
import { nodeUnschedulable } from "./node-unschedulable/node-unschedulable.ts";
import { nodeVolumeLimits } from "./node-volume-limits/node-volume-limits.ts";
import { podTopologySpread } from "./pod-topology-spread/pod-topology-spread.ts";
import { prioritySort } from "./priority-sort/priority-sort.ts";
import { schedulingGates } from "./scheduling-gates/scheduling-gates.ts";
import { taintToleration } from "./taint-toleration/taint-toleration.ts";
import { volumeBinding } from "./volume-binding/volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions/volume-restrictions.ts";
import { volumeZone } from "./volume-zone/volume-zone.ts";

/**
 * The plugins that come with the scheduler, by name.
 * @see https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
 */
export const pluginFactories: ReadonlyMap<string, PluginFactory> = new Map([
  ["SchedulingGates", schedulingGates],
  ["PrioritySort", prioritySort],
  ["NodeUnschedulable", nodeUnschedulable],
  ["NodeName", nodeName],
  ["TaintToleration", taintToleration],
  ["NodeAffinity", nodeAffinity],
  ["NodePorts", nodePorts],
  ["NodeResourcesFit", nodeResourcesFit],
  ["VolumeRestrictions", volumeRestrictions],
  ["NodeVolumeLimits", nodeVolumeLimits],
  ["VolumeBinding", volumeBinding],
  ["VolumeZone", volumeZone],
  ["PodTopologySpread", podTopologySpread],
  ["InterPodAffinity", interPodAffinity],
  ["DynamicResources", dynamicResources],
  ["DefaultPreemption", defaultPreemption],
  ["NodeResourcesBalancedAllocation", nodeResourcesBalancedAllocation],
  ["ImageLocality", imageLocality],
  ["DefaultBinder", defaultBinder],
  ["NodeDeclaredFeatures", nodeDeclaredFeatures],
]);
