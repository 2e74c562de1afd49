/**
 * What runtimes answer: all fields are there. 64-bit numbers are JavaScript's: what is beyond 2^53 is rounded.
 * Written by scripts/generate-cri-messages.ts.
 */
import type { CgroupDriver, ContainerEventType, ContainerState, MountPropagation, PodSandboxState } from "./enums.ts";

export interface ContainerAttributesMessage {
  readonly id: string;
}
export interface ContainerEventResponseMessage {
  readonly containerId: string;
  readonly containerEventType: ContainerEventType;
  readonly podSandboxStatus: PodSandboxStatusMessage | null;
  readonly containersStatuses: readonly ContainerStatusMessage[];
}
export interface ContainerMessage {
  readonly id: string;
  readonly podSandboxId: string;
  readonly state: ContainerState;
  readonly labels: Readonly<Record<string, string>>;
}
export interface ContainerMetadataMessage {
  readonly name: string;
  readonly attempt: number;
}
export interface ContainerResourcesMessage {
  readonly linux: LinuxContainerResourcesMessage | null;
}
export interface ContainerStatsMessage {
  readonly attributes: ContainerAttributesMessage | null;
  readonly cpu: CpuUsageMessage | null;
  readonly memory: MemoryUsageMessage | null;
  readonly writableLayer: FilesystemUsageMessage | null;
}
export interface ContainerStatusMessage {
  readonly id: string;
  readonly metadata: ContainerMetadataMessage | null;
  readonly state: ContainerState;
  readonly createdAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly image: ImageSpecMessage | null;
  readonly imageRef: string;
  readonly reason: string;
  readonly message: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly MountMessage[];
  readonly logPath: string;
  readonly resources: ContainerResourcesMessage | null;
  readonly user: ContainerUserMessage | null;
}
export interface ContainerStatusResponseMessage {
  readonly status: ContainerStatusMessage | null;
}
export interface ContainerUserMessage {
  readonly linux: LinuxContainerUserMessage | null;
}
export interface CpuUsageMessage {
  readonly timestamp: number;
  readonly usageCoreNanoSeconds: UInt64ValueMessage | null;
}
export interface CreateContainerResponseMessage {
  readonly containerId: string;
}
export interface ExecSyncResponseMessage {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}
export interface FilesystemIdentifierMessage {
  readonly mountpoint: string;
}
export interface FilesystemUsageMessage {
  readonly timestamp: number;
  readonly fsId: FilesystemIdentifierMessage | null;
  readonly usedBytes: UInt64ValueMessage | null;
  readonly inodesUsed: UInt64ValueMessage | null;
}
export interface ImageFsInfoResponseMessage {
  readonly imageFilesystems: readonly FilesystemUsageMessage[];
  readonly containerFilesystems: readonly FilesystemUsageMessage[];
}
export interface ImageMessage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
  readonly uid: Int64ValueMessage | null;
  readonly username: string;
  readonly pinned: boolean;
}
export interface ImageSpecMessage {
  readonly image: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly userSpecifiedImage: string;
  readonly runtimeHandler: string;
}
export interface ImageStatusResponseMessage {
  readonly image: ImageMessage | null;
}
export interface Int64ValueMessage {
  readonly value: number;
}
export interface LinuxContainerResourcesMessage {
  readonly cpuPeriod: number;
  readonly cpuQuota: number;
  readonly cpuShares: number;
  readonly memoryLimitInBytes: number;
  readonly oomScoreAdj: number;
  readonly cpusetCpus: string;
  readonly cpusetMems: string;
}
export interface LinuxContainerUserMessage {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}
export interface LinuxPodSandboxStatsMessage {
  readonly network: NetworkUsageMessage | null;
}
export interface LinuxRuntimeConfigurationMessage {
  readonly cgroupDriver: CgroupDriver;
}
export interface ListContainerStatsResponseMessage {
  readonly stats: readonly ContainerStatsMessage[];
}
export interface ListContainersResponseMessage {
  readonly containers: readonly ContainerMessage[];
}
export interface ListImagesResponseMessage {
  readonly images: readonly ImageMessage[];
}
export interface ListPodSandboxResponseMessage {
  readonly items: readonly PodSandboxMessage[];
}
export interface ListPodSandboxStatsResponseMessage {
  readonly stats: readonly PodSandboxStatsMessage[];
}
export interface MemoryUsageMessage {
  readonly timestamp: number;
  readonly workingSetBytes: UInt64ValueMessage | null;
  readonly usageBytes: UInt64ValueMessage | null;
}
export interface MountMessage {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly: boolean;
  readonly propagation: MountPropagation;
  readonly recursiveReadOnly: boolean;
  readonly image: ImageSpecMessage | null;
  readonly imageSubPath: string;
}
export interface NetworkInterfaceUsageMessage {
  readonly name: string;
  readonly rxBytes: UInt64ValueMessage | null;
  readonly txBytes: UInt64ValueMessage | null;
}
export interface NetworkUsageMessage {
  readonly timestamp: number;
  readonly defaultInterface: NetworkInterfaceUsageMessage | null;
}
export type NothingMessage = Record<never, never>;
export interface PodIPMessage {
  readonly ip: string;
}
export interface PodSandboxAttributesMessage {
  readonly id: string;
}
export interface PodSandboxMessage {
  readonly id: string;
  readonly metadata: PodSandboxMetadataMessage | null;
  readonly state: PodSandboxState;
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
export interface PodSandboxMetadataMessage {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly attempt: number;
}
export interface PodSandboxNetworkStatusMessage {
  readonly ip: string;
  readonly additionalIps: readonly PodIPMessage[];
}
export interface PodSandboxStatsMessage {
  readonly attributes: PodSandboxAttributesMessage | null;
  readonly linux: LinuxPodSandboxStatsMessage | null;
}
export interface PodSandboxStatsResponseMessage {
  readonly stats: PodSandboxStatsMessage | null;
}
export interface PodSandboxStatusMessage {
  readonly id: string;
  readonly metadata: PodSandboxMetadataMessage | null;
  readonly state: PodSandboxState;
  readonly createdAt: number;
  readonly network: PodSandboxNetworkStatusMessage | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
export interface PodSandboxStatusResponseMessage {
  readonly status: PodSandboxStatusMessage | null;
  readonly info: Readonly<Record<string, string>>;
}
export interface PullImageResponseMessage {
  readonly imageRef: string;
}
export interface RunPodSandboxResponseMessage {
  readonly podSandboxId: string;
}
export interface RuntimeConditionMessage {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}
export interface RuntimeConfigResponseMessage {
  readonly linux: LinuxRuntimeConfigurationMessage | null;
}
export interface RuntimeFeaturesMessage {
  readonly supplementalGroupsPolicy: boolean;
}
export interface RuntimeHandlerFeaturesMessage {
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}
export interface RuntimeHandlerMessage {
  readonly name: string;
  readonly features: RuntimeHandlerFeaturesMessage | null;
}
export interface RuntimeStatusMessage {
  readonly conditions: readonly RuntimeConditionMessage[];
}
export interface StatusResponseMessage {
  readonly status: RuntimeStatusMessage | null;
  readonly info: Readonly<Record<string, string>>;
  readonly runtimeHandlers: readonly RuntimeHandlerMessage[];
  readonly features: RuntimeFeaturesMessage | null;
}
export interface StreamResponseMessage {
  readonly url: string;
}
export interface UInt64ValueMessage {
  readonly value: number;
}
export interface VersionResponseMessage {
  readonly version: string;
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}
