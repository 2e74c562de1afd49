/**
 * What a profile uses that names no plugins, in kube-scheduler's order. Each works at every extension point that it has.
 * @see https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
 */
export interface DefaultPlugin {
  readonly name: string;
  /** Of its score, where it has one. */
  readonly weight?: number;
}

/** The plugins that a profile has unless it disables them, in kube-scheduler's order. */
export const defaultPlugins: readonly DefaultPlugin[] = [
  { name: "SchedulingGates" },
  { name: "PrioritySort" },
  { name: "NodeUnschedulable" },
  { name: "NodeName" },
  { name: "TaintToleration", weight: 3 },
  { name: "NodeAffinity", weight: 2 },
  { name: "NodePorts" },
  { name: "NodeResourcesFit", weight: 1 },
  { name: "VolumeRestrictions" },
  { name: "NodeVolumeLimits" },
  { name: "VolumeBinding" },
  { name: "VolumeZone" },
  { name: "PodTopologySpread", weight: 2 },
  { name: "InterPodAffinity", weight: 2 },
  { name: "DynamicResources", weight: 2 },
  { name: "DefaultPreemption" },
  { name: "NodeResourcesBalancedAllocation", weight: 1 },
  { name: "ImageLocality", weight: 1 },
  { name: "DefaultBinder" },
  { name: "NodeDeclaredFeatures" },
];
