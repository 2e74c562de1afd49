export { createPodConfigs, type NodeFacts, type PodConfigsOptions } from "./config/pod-configs.ts";
export type { MasterService } from "./config/service-variables.ts";
export { type CriRuntimeOptions, createCriRuntime } from "./cri/create-cri-runtime.ts";
export { createEviction, type Eviction, type EvictionOptions } from "./eviction/eviction.ts";
export { defaultThresholds, parseThresholds, type Threshold } from "./eviction/thresholds.ts";
export { createFleet, type Fleet, type FleetOptions } from "./fleet/fleet.ts";
export { simulatedIdentity } from "./fleet/identity.ts";
export { createFileGarbage, type FileGarbage, type FileGarbageOptions } from "./garbage/collect-files.ts";
export { createHooks, type HooksOptions } from "./hooks/hooks.ts";
export { createImages, type ImagesOptions, type NodeImages } from "./images/create-images.ts";
export { createImageGarbage, type ImageGarbage, type ImageGarbageOptions } from "./images/image-garbage.ts";
export * from "./kubelet.ts";
export type { KubeletOptions } from "./kubelet-options.ts";
export { formatCriLogLine, parseCriLogLine } from "./logs/cri-log-line.ts";
export { type FollowOptions, readCriLogs } from "./logs/read-cri-logs.ts";
export { createLogRotation, type LogRotation, type LogRotationOptions, removeLogs } from "./logs/rotate-logs.ts";
export type * from "./node/machine.ts";
export * from "./node/node-agent.ts";
export { healthy, type NodeHealth } from "./node/node-conditions.ts";
export type { NodeIdentity } from "./node/node-object.ts";
export { nodeNameOf, thisMachine } from "./node/this-machine.ts";
export * from "./parts.ts";
export { podDirectories, podLogDirectory } from "./pod-directories.ts";
export { podSource } from "./pod-source.ts";
export type * from "./probes/dial.ts";
export { networkDial } from "./probes/network-dial.ts";
export { createProbes, type ProbesOptions } from "./probes/probes.ts";
export { openProcessRuntime, type ProcessRuntimeOptions } from "./process/process-runtime.ts";
export { createReferencedObjects, type ReferencedObjects } from "./references/referenced-objects.ts";
export { createServiceAccountTokens, type ServiceAccountTokens } from "./references/service-account-tokens.ts";
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
export { machineUsage, type NodeUsage } from "./server/node-usage.ts";
export { simulationPrefix } from "./simulated/annotations.ts";
export * from "./simulated/script.ts";
export {
  createSimulatedRuntime,
  type SimulatedNodeOptions,
  type SimulatedRuntime,
  simulatedRuntime,
} from "./simulated/simulated-runtime.ts";
export { Simulation, type SimulationOptions } from "./simulated/simulation.ts";
export { createStaticPods, type StaticPods, type StaticPodsOptions } from "./static-pods/static-pods.ts";
export { connectPortForward } from "./streams/spdy/connect-port-forward.ts";
export { connectRemoteCommand } from "./streams/spdy/connect-remote-command.ts";
export { type Mounter, mounterOfThisProcess } from "./volumes/mounter.ts";
export { createPodVolumes, type PodVolumesOptions } from "./volumes/pod-volumes.ts";
export type { Eviction as PodEviction } from "./workers/end-pod.ts";
export { createPodManager, type PodManager, type PodManagerOptions } from "./workers/pod-manager.ts";
