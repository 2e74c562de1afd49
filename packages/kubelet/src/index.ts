export { podSource } from "./config/api-source.ts";
export { createStaticPods, type StaticPods, type StaticPodsOptions } from "./config/file-source.ts";
export { type CriRuntimeOptions, createCriRuntime } from "./cri/create-cri-runtime.ts";
export { createEviction, type Eviction, type EvictionOptions } from "./eviction/eviction.ts";
export { defaultThresholds, parseThresholds, type Threshold } from "./eviction/thresholds.ts";
export { createFleet, type Fleet, type FleetOptions } from "./fleet/fleet.ts";
export { simulatedIdentity } from "./fleet/identity.ts";
export { createFileGarbage, type FileGarbage, type FileGarbageOptions } from "./housekeeping/collect-files.ts";
export { createImageGarbage, type ImageGarbage, type ImageGarbageOptions } from "./image-manager/image-gc-manager.ts";
export { createImages, type ImagesOptions, type NodeImages } from "./image-manager/image-manager.ts";
export * from "./kubelet/kubelet.ts";
export type { KubeletOptions } from "./kubelet/kubelet-options.ts";
export { createPodConfigs, type NodeFacts, type PodConfigsOptions } from "./kuberuntime/container-config/config-generator.ts";
export type { MasterService } from "./kuberuntime/container-config/service-variables.ts";
export { createHooks, type HooksOptions } from "./lifecycle/hooks.ts";
export { formatCriLogLine, parseCriLogLine } from "./logs/cri-log-line.ts";
export { type FollowOptions, readCriLogs } from "./logs/read-cri-logs.ts";
export { createLogRotation, type LogRotation, type LogRotationOptions, removeLogs } from "./logs/rotate-logs.ts";
export type * from "./node-status/machine.ts";
export * from "./node-status/node-agent.ts";
export { healthy, type NodeHealth } from "./node-status/node-conditions.ts";
export type { NodeIdentity } from "./node-status/node-object.ts";
export { nodeNameOf, thisMachine } from "./node-status/this-machine.ts";
export { createServiceAccountTokens, type ServiceAccountTokens } from "./object-managers/token-manager.ts";
export { createReferencedObjects, type ReferencedObjects } from "./object-managers/watch-based-manager.ts";
export * from "./parts.ts";
export { podDirectories, podLogDirectory } from "./pod/pod-directories.ts";
export type { Eviction as PodEviction } from "./pod-workers/end-pod.ts";
export { createPodManager, type PodManager, type PodManagerOptions } from "./pod-workers/pod-sync-loop.ts";
export type * from "./probe/dial.ts";
export { networkDial } from "./probe/network-dial.ts";
export { createProbes, type ProbesOptions } from "./prober/prober-manager.ts";
export { openProcessRuntime, type ProcessRuntimeOptions } from "./process/process-runtime.ts";
export * from "./runtime/container-streams.ts";
export * from "./runtime/labels.ts";
export * from "./runtime/pod-runtime.ts";
export * from "./runtime/runtime-config.ts";
export * from "./runtime/runtime-error.ts";
export * from "./runtime/runtime-status.ts";
export type { Access, AccessRequest, Caller } from "./server/access.ts";
export { connectToNode } from "./server/connect-to-node.ts";
export { delegatedAccess } from "./server/delegated-access.ts";
export * from "./server/kubelet-server.ts";
export { simulationPrefix } from "./simulated/annotations.ts";
export * from "./simulated/script.ts";
export {
  createSimulatedRuntime,
  type SimulatedNodeOptions,
  type SimulatedRuntime,
  simulatedRuntime,
} from "./simulated/simulated-runtime.ts";
export { Simulation, type SimulationOptions } from "./simulated/simulation.ts";
export { machineUsage, type NodeUsage } from "./stats/node-usage.ts";
export { connectPortForward } from "./streams/spdy/connect-port-forward.ts";
export { connectRemoteCommand } from "./streams/spdy/connect-remote-command.ts";
export { type Mounter, mounterOfThisProcess } from "./volume-manager/mounter.ts";
export { createPodVolumes, type PodVolumesOptions } from "./volume-manager/volume-manager.ts";
