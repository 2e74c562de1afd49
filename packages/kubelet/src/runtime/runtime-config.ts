/** What a sandbox and a container shall be, as the Container Runtime Interface has it. */

/** Whose: the kubelet finds Pods again by these, so that they stand in the runtime's labels. */
export interface PodIdentity {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a container shares a kind of namespace with: its Pod, nothing, the node, or one container (`target`). */
export type NamespaceMode = "pod" | "container" | "node" | "target";

/** Everything a runtime has to know to make a Pod's sandbox. Absolute paths are the node's. */
export interface SandboxConfig {
  readonly pod: PodIdentity;
  /** Counts the sandboxes of one Pod. */
  readonly attempt: number;
  /** Empty with the host's network. */
  readonly hostname: string;
  /** Absolute; made by the kubelet before. */
  readonly logDirectory: string;
  readonly dns:
    | { readonly servers: readonly string[]; readonly searches: readonly string[]; readonly options: readonly string[] }
    | undefined;
  readonly portMappings: readonly PortMapping[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Relative to the runtime's own, see `--cgroup-root`. */
  readonly cgroupParent: string;
  readonly network: NamespaceMode;
  readonly pid: NamespaceMode;
  readonly ipc: NamespaceMode;
  readonly sysctls: Readonly<Record<string, string>>;
  readonly privileged: boolean;
  readonly security: ContainerSecurity;
  readonly runtimeHandler: string;
}

/** A port of the node that leads to a port of the sandbox. */
export interface PortMapping {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** Everything a runtime has to know to make one container. Times are seconds, sizes are bytes. */
export interface ContainerConfig {
  readonly name: string;
  /** Counts its restarts. */
  readonly attempt: number;
  /** What `pullImage` or `imageStatus` said that it is known by. */
  readonly image: string;
  /** What the Pod calls it. */
  readonly userImage: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly { readonly containerPath: string; readonly hostPath: string; readonly permissions: string }[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Relative to the sandbox's log directory. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly resources: LinuxResources;
  readonly security: ContainerSecurity;
  readonly pid: NamespaceMode;
  /** Of the container whose processes it sees, with `pid: "target"`. */
  readonly targetId: string;
  /** Signal instead of SIGTERM; empty for the image's own. */
  readonly stopSignal: string;
}

/** A file or directory of the node, or what an image holds, that a container sees at a path of its own. */
export interface Mount {
  readonly containerPath: string;
  /** Empty where an image is mounted. */
  readonly hostPath: string;
  readonly image?: ImageMount;
  readonly readOnly: boolean;
  readonly propagation: "private" | "hostToContainer" | "bidirectional";
  readonly recursiveReadOnly?: boolean;
}

/** The image of a volume, which the runtime has. */
export interface MountedImage {
  /** What `pullImage` or `imageStatus` said that it is known by. */
  readonly ref: string;
  /** What the Pod calls it. */
  readonly reference: string;
  readonly runtimeHandler: string;
  /** Of the Pod. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** An image, or a part of it, at a path of a container. */
export interface ImageMount extends MountedImage {
  /** Relative; empty for all of the image. */
  readonly subPath: string;
}

/** 0 or absent: unlimited. */
export interface LinuxResources {
  readonly cpuPeriod?: number;
  readonly cpuQuota?: number;
  readonly cpuShares?: number;
  readonly memoryLimitBytes?: number;
  readonly oomScoreAdj?: number;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}

/**
 * The user, groups, capabilities and profiles that a container runs with.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/security-context/
 */
export interface ContainerSecurity {
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly noNewPrivileges: boolean;
  readonly runAsUser: number | undefined;
  readonly runAsUsername: string;
  readonly runAsGroup: number | undefined;
  readonly supplementalGroups: readonly number[];
  /** `Merge`, the default, adds the groups that the image names for its user. */
  readonly supplementalGroupsPolicy?: "Merge" | "Strict";
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly seccomp: { readonly type: "RuntimeDefault" | "Unconfined" | "Localhost"; readonly localhostRef: string };
  readonly apparmor: { readonly type: "RuntimeDefault" | "Unconfined" | "Localhost"; readonly localhostRef: string } | undefined;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
}
