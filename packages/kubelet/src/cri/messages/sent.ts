/** What the kubelet sends: fields may be left out. Written by scripts/generate-cri-messages.ts. */
import type { MountPropagation, NamespaceMode, ProfileType, Protocol, SupplementalGroupsPolicy } from "./enums.ts";

export interface AttachRequestInput {
  readonly containerId?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
}
export interface AuthConfigInput {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}
export interface CapabilityInput {
  readonly addCapabilities?: readonly string[];
  readonly dropCapabilities?: readonly string[];
}
export interface ContainerConfigInput {
  readonly metadata?: ContainerMetadataInput;
  readonly image?: ImageSpecInput;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly envs?: readonly KeyValueInput[];
  readonly mounts?: readonly MountInput[];
  readonly devices?: readonly DeviceInput[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly logPath?: string;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly linux?: LinuxContainerConfigInput;
  readonly stopSignal?: number;
}
export interface ContainerFilterInput {
  readonly labelSelector?: Readonly<Record<string, string>>;
}
export interface ContainerMetadataInput {
  readonly name?: string;
  readonly attempt?: number;
}
export interface ContainerRequestInput {
  readonly containerId?: string;
}
export interface ContainerStatusRequestInput {
  readonly containerId?: string;
}
export interface CreateContainerRequestInput {
  readonly podSandboxId?: string;
  readonly config?: ContainerConfigInput;
  readonly sandboxConfig?: PodSandboxConfigInput;
}
export interface DNSConfigInput {
  readonly servers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly string[];
}
export interface DeviceInput {
  readonly containerPath?: string;
  readonly hostPath?: string;
  readonly permissions?: string;
}
export interface ExecRequestInput {
  readonly containerId?: string;
  readonly cmd?: readonly string[];
  readonly tty?: boolean;
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
}
export interface ExecSyncRequestInput {
  readonly containerId?: string;
  readonly cmd?: readonly string[];
  readonly timeout?: number;
}
export interface ImageRequestInput {
  readonly image?: ImageSpecInput;
}
export interface ImageSpecInput {
  readonly image?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly userSpecifiedImage?: string;
  readonly runtimeHandler?: string;
}
export interface Int64ValueInput {
  readonly value?: number;
}
export interface KeyValueInput {
  readonly key?: string;
  readonly value?: Uint8Array;
}
export interface LinuxContainerConfigInput {
  readonly resources?: LinuxContainerResourcesInput;
  readonly securityContext?: LinuxContainerSecurityContextInput;
}
export interface LinuxContainerResourcesInput {
  readonly cpuPeriod?: number;
  readonly cpuQuota?: number;
  readonly cpuShares?: number;
  readonly memoryLimitInBytes?: number;
  readonly oomScoreAdj?: number;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}
export interface LinuxContainerSecurityContextInput {
  readonly capabilities?: CapabilityInput;
  readonly privileged?: boolean;
  readonly namespaceOptions?: NamespaceOptionInput;
  readonly runAsUser?: Int64ValueInput;
  readonly runAsUsername?: string;
  readonly readonlyRootfs?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly noNewPrivs?: boolean;
  readonly runAsGroup?: Int64ValueInput;
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
  readonly seccomp?: SecurityProfileInput;
  readonly apparmor?: SecurityProfileInput;
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
}
export interface LinuxPodSandboxConfigInput {
  readonly cgroupParent?: string;
  readonly securityContext?: LinuxSandboxSecurityContextInput;
  readonly sysctls?: Readonly<Record<string, string>>;
}
export interface LinuxSandboxSecurityContextInput {
  readonly namespaceOptions?: NamespaceOptionInput;
  readonly runAsUser?: Int64ValueInput;
  readonly readonlyRootfs?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly privileged?: boolean;
  readonly runAsGroup?: Int64ValueInput;
  readonly seccomp?: SecurityProfileInput;
  readonly apparmor?: SecurityProfileInput;
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
}
export type ListContainerStatsRequestInput = Record<never, never>;
export interface ListContainersRequestInput {
  readonly filter?: ContainerFilterInput;
}
export type ListImagesRequestInput = Record<never, never>;
export interface ListPodSandboxRequestInput {
  readonly filter?: PodSandboxFilterInput;
}
export type ListPodSandboxStatsRequestInput = Record<never, never>;
export interface MountInput {
  readonly containerPath?: string;
  readonly hostPath?: string;
  readonly readonly?: boolean;
  readonly propagation?: MountPropagation;
  readonly recursiveReadOnly?: boolean;
  readonly image?: ImageSpecInput;
  readonly imageSubPath?: string;
}
export interface NamespaceOptionInput {
  readonly network?: NamespaceMode;
  readonly pid?: NamespaceMode;
  readonly ipc?: NamespaceMode;
  readonly targetId?: string;
}
export type NothingInput = Record<never, never>;
export interface PodSandboxConfigInput {
  readonly metadata?: PodSandboxMetadataInput;
  readonly hostname?: string;
  readonly logDirectory?: string;
  readonly dnsConfig?: DNSConfigInput;
  readonly portMappings?: readonly PortMappingInput[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly linux?: LinuxPodSandboxConfigInput;
}
export interface PodSandboxFilterInput {
  readonly labelSelector?: Readonly<Record<string, string>>;
}
export interface PodSandboxMetadataInput {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly attempt?: number;
}
export interface PodSandboxStatusRequestInput {
  readonly podSandboxId?: string;
  readonly verbose?: boolean;
}
export interface PortForwardRequestInput {
  readonly podSandboxId?: string;
  readonly port?: readonly number[];
}
export interface PortMappingInput {
  readonly protocol?: Protocol;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIp?: string;
}
export interface PullImageRequestInput {
  readonly image?: ImageSpecInput;
  readonly auth?: AuthConfigInput;
  readonly sandboxConfig?: PodSandboxConfigInput;
}
export interface RunPodSandboxRequestInput {
  readonly config?: PodSandboxConfigInput;
  readonly runtimeHandler?: string;
}
export type RuntimeConfigRequestInput = Record<never, never>;
export interface SandboxRequestInput {
  readonly podSandboxId?: string;
}
export interface SecurityProfileInput {
  readonly profileType?: ProfileType;
  readonly localhostRef?: string;
}
export interface StatusRequestInput {
  readonly verbose?: boolean;
}
export interface StopContainerRequestInput {
  readonly containerId?: string;
  readonly timeout?: number;
}
export interface UpdateContainerResourcesRequestInput {
  readonly containerId?: string;
  readonly linux?: LinuxContainerResourcesInput;
}
export interface VersionRequestInput {
  readonly version?: string;
}
