/** What a runtime reports of what it runs. Times are milliseconds since the epoch, 0 for never. */
import type { LinuxResources, PodIdentity } from "./runtime-config.ts";

/** Whether a runtime can make containers and networks, and what its handlers can do. */
export interface RuntimeStatus {
  readonly ready: boolean;
  readonly networkReady: boolean;
  /** Why not, for the Node's condition. */
  readonly message: string;
  /** Empty where the runtime does not report it. */
  readonly handlers: readonly RuntimeHandler[];
  /** Whether containers get the groups that a Pod's `supplementalGroupsPolicy` says; absent where the runtime does not report it. */
  readonly supplementalGroupsPolicy?: boolean;
}

/** What a RuntimeClass can name; the default one has no name. */
export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** What a runtime has of one sandbox. Times are milliseconds since the epoch. */
export interface SandboxStatus {
  readonly id: string;
  readonly pod: PodIdentity;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdAt: number;
  /** Empty with the host's network. */
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What a runtime has of one container. Times are milliseconds since the epoch, 0 for what has not happened. */
export interface ContainerStatus {
  readonly id: string;
  readonly sandboxId: string;
  readonly pod: PodIdentity;
  readonly name: string;
  readonly attempt: number;
  readonly state: "created" | "running" | "exited" | "unknown";
  readonly createdAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  /** As the Pod calls it. */
  readonly image: string;
  /** With its digest, where there is one. */
  readonly imageRef: string;
  /** Absolute; empty where the runtime keeps logs otherwise. */
  readonly logPath: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly ContainerMount[];
  /** What the container got, where the runtime reports it. */
  readonly resources: LinuxResources | undefined;
  /** The user of its first process, where the runtime reports it. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
}

/** What a container has been given at a path of its own. */
export interface ContainerMount {
  readonly containerPath: string;
  readonly hostPath: string;
  /** What the image of a volume is known by. */
  readonly image?: string;
}

/** What a runtime has of one image; its size is in bytes. */
export interface ImageInfo {
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly sizeBytes: number;
  readonly pinned: boolean;
  /** The user that the image wants; undefined when it says nothing. */
  readonly uid: number | undefined;
  readonly username: string;
}

/** What all containers and sandboxes of a runtime use. */
export interface RuntimeStats {
  readonly containers: readonly ContainerStats[];
  readonly sandboxes: readonly SandboxStats[];
}

/** What one container uses: CPU time in nanoseconds, memory and disk in bytes. */
export interface ContainerStats {
  readonly id: string;
  readonly at: number;
  /** Since it was started. */
  readonly cpuNanoseconds: number;
  readonly memoryWorkingSetBytes: number;
  readonly memoryUsageBytes: number;
  readonly writableLayerBytes: number;
}

/** What the network of one sandbox has carried, in bytes. */
export interface SandboxStats {
  readonly id: string;
  readonly at: number;
  readonly networkReceivedBytes: number;
  readonly networkSentBytes: number;
}
