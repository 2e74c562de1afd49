/** The messages of cri.proto as TypeScript sees them: what is sent may leave fields out, what comes has them all. */

export interface CriMethods {
  Version: Method<{ version: string }, VersionResponse>;
  Status: Method<{ verbose: boolean }, StatusResponse>;
  RuntimeConfig: Method<Nothing, { linux: { cgroupDriver: "SYSTEMD" | "CGROUPFS" } | null }>;
  RunPodSandbox: Method<{ config: PodSandboxConfigMessage; runtimeHandler: string }, { podSandboxId: string }>;
  StopPodSandbox: Method<{ podSandboxId: string }, Nothing>;
  RemovePodSandbox: Method<{ podSandboxId: string }, Nothing>;
  PodSandboxStatus: Method<
    { podSandboxId: string; verbose?: boolean },
    { status: PodSandboxStatusMessage | null; info: { readonly info?: string } }
  >;
  ListPodSandbox: Method<{ filter?: LabelFilter }, { items: PodSandboxMessage[] }>;
  CreateContainer: Method<
    { podSandboxId: string; config: ContainerConfigMessage; sandboxConfig: PodSandboxConfigMessage },
    { containerId: string }
  >;
  StartContainer: Method<{ containerId: string }, Nothing>;
  StopContainer: Method<{ containerId: string; timeout: number }, Nothing>;
  RemoveContainer: Method<{ containerId: string }, Nothing>;
  ListContainers: Method<{ filter?: LabelFilter }, { containers: ContainerMessage[] }>;
  ContainerStatus: Method<{ containerId: string }, { status: ContainerStatusMessage | null }>;
  UpdateContainerResources: Method<{ containerId: string; linux: LinuxContainerResources }, Nothing>;
  ReopenContainerLog: Method<{ containerId: string }, Nothing>;
  ExecSync: Method<
    { containerId: string; cmd: readonly string[]; timeout: number },
    { stdout: Uint8Array; stderr: Uint8Array; exitCode: number }
  >;
  Exec: Method<{ containerId: string; cmd: readonly string[] } & StreamsMessage, { url: string }>;
  Attach: Method<{ containerId: string } & StreamsMessage, { url: string }>;
  PortForward: Method<{ podSandboxId: string; port: readonly number[] }, { url: string }>;
  ListContainerStats: Method<Nothing, { stats: ContainerStatsMessage[] }>;
  ListPodSandboxStats: Method<Nothing, { stats: PodSandboxStatsMessage[] }>;
  PodSandboxStats: Method<{ podSandboxId: string }, { stats: PodSandboxStatsMessage | null }>;
  ListImages: Method<Nothing, { images: ImageMessage[] }>;
  ImageStatus: Method<{ image: ImageSpecMessage }, { image: ImageMessage | null }>;
  PullImage: Method<{ image: ImageSpecMessage; auth?: object; sandboxConfig: PodSandboxConfigMessage }, { imageRef: string }>;
  RemoveImage: Method<{ image: ImageSpecMessage }, Nothing>;
  ImageFsInfo: Method<Nothing, { imageFilesystems: FilesystemUsage[] }>;
}

export interface CriStreams {
  GetContainerEvents: Method<Nothing, ContainerEventMessage>;
}

interface Method<Request, Response> {
  readonly request: Request;
  readonly response: Response;
}

type Nothing = Record<never, never>;
type StringMap = Readonly<Record<string, string>>;
/** 64-bit numbers come as JavaScript's: what is beyond 2^53 is rounded. */
type Wrapped = { readonly value: number } | null;

interface LabelFilter {
  readonly labelSelector: StringMap;
}

interface StreamsMessage {
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

export interface VersionResponse {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

export interface StatusResponse {
  readonly status: { readonly conditions: readonly ConditionMessage[] } | null;
  readonly info: { readonly config?: string };
  readonly features: { readonly supplementalGroupsPolicy: boolean } | null;
  readonly runtimeHandlers: readonly {
    readonly name: string;
    readonly features: { readonly recursiveReadOnlyMounts: boolean; readonly userNamespaces: boolean } | null;
  }[];
}

interface ConditionMessage {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

interface SandboxMetadata {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly attempt: number;
}

export interface PodSandboxConfigMessage {
  readonly metadata: SandboxMetadata;
  readonly hostname: string;
  readonly logDirectory: string;
  readonly dnsConfig?: { readonly servers: readonly string[]; readonly searches: readonly string[]; readonly options: readonly string[] };
  readonly portMappings: readonly object[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly linux: { readonly cgroupParent: string; readonly securityContext: object; readonly sysctls: StringMap };
}

export interface PodSandboxMessage {
  readonly id: string;
  readonly metadata: SandboxMetadata | null;
  readonly state: "SANDBOX_READY" | "SANDBOX_NOTREADY";
  readonly createdAt: number;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface PodSandboxStatusMessage extends PodSandboxMessage {
  readonly network: { readonly ip: string; readonly additionalIps: readonly { readonly ip: string }[] } | null;
}

export interface ContainerConfigMessage {
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly image: ImageSpecMessage;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly envs: readonly { readonly key: string; readonly value: Uint8Array }[];
  readonly mounts: readonly object[];
  readonly devices: readonly object[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly linux: { readonly resources: LinuxContainerResources; readonly securityContext: object };
  readonly stopSignal: number;
}

export interface LinuxContainerResources {
  readonly cpuPeriod: number;
  readonly cpuQuota: number;
  readonly cpuShares: number;
  readonly memoryLimitInBytes: number;
  readonly oomScoreAdj: number;
  readonly cpusetCpus: string;
  readonly cpusetMems: string;
}

export type CriContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN";

export interface ContainerMessage {
  readonly id: string;
  readonly podSandboxId: string;
  readonly state: CriContainerState;
  readonly labels: StringMap;
}

export interface ContainerStatusMessage {
  readonly id: string;
  readonly metadata: { readonly name: string; readonly attempt: number } | null;
  readonly state: CriContainerState;
  readonly createdAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly image: ImageSpecMessage | null;
  readonly imageRef: string;
  readonly reason: string;
  readonly message: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly mounts: readonly { readonly containerPath: string; readonly hostPath: string }[];
  readonly logPath: string;
  readonly resources: { readonly linux: LinuxContainerResources | null } | null;
  readonly user: {
    readonly linux: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] } | null;
  } | null;
}

export interface ContainerEventMessage {
  readonly containerId: string;
  readonly podSandboxStatus: PodSandboxStatusMessage | null;
  readonly containersStatuses: readonly ContainerStatusMessage[];
}

export interface ImageSpecMessage {
  readonly image: string;
  readonly userSpecifiedImage?: string;
  readonly runtimeHandler?: string;
}

export interface ImageMessage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
  readonly uid: Wrapped;
  readonly username: string;
  readonly pinned: boolean;
}

interface FilesystemUsage {
  readonly fsId: { readonly mountpoint: string } | null;
  readonly usedBytes: Wrapped;
}

export interface ContainerStatsMessage {
  readonly attributes: { readonly id: string } | null;
  readonly cpu: { readonly timestamp: number; readonly usageCoreNanoSeconds: Wrapped } | null;
  readonly memory: { readonly timestamp: number; readonly workingSetBytes: Wrapped; readonly usageBytes: Wrapped } | null;
  readonly writableLayer: FilesystemUsage | null;
}

export interface PodSandboxStatsMessage {
  readonly attributes: { readonly id: string } | null;
  readonly linux: {
    readonly network: {
      readonly timestamp: number;
      readonly defaultInterface: { readonly rxBytes: Wrapped; readonly txBytes: Wrapped } | null;
    } | null;
  } | null;
}
