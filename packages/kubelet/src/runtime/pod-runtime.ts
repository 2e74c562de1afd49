/**
 * What runs containers: the verbs of the Container Runtime Interface. Ids are the runtime's own; what belongs to which Pod
 * is identified by the labels that the kubelet gives (`labels.ts`), so that everything is found again after a restart of either.
 * Every call may take as long as its signal lets it, fails with a RuntimeError, and may be repeated.
 */
import type { Duplex } from "node:stream";
import type { LogEntry, LogOptions, Terminal, TerminalRequest } from "./container-streams.ts";
import type { ContainerConfig, LinuxResources, SandboxConfig } from "./runtime-config.ts";
import type { ContainerStatus, ImageInfo, RuntimeStats, RuntimeStatus, SandboxStatus } from "./runtime-status.ts";

/**
 * A runtime runs containers, by the verbs of the Container Runtime Interface. All of them throw RuntimeError.
 * @see https://kubernetes.io/docs/concepts/containers/cri/
 */
export interface PodRuntime extends AsyncDisposable {
  /** `containerd`, `process`, `simulated`, and its version: `node.status.nodeInfo.containerRuntimeVersion` is `name://version`. */
  version(signal: AbortSignal): Promise<{ readonly name: string; readonly version: string }>;
  status(signal: AbortSignal): Promise<RuntimeStatus>;

  runPodSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string>;
  /** Its containers end at once. Fine when it has ended already, or is not there. */
  stopPodSandbox(id: string, signal: AbortSignal): Promise<void>;
  removePodSandbox(id: string, signal: AbortSignal): Promise<void>;
  /** Of one Pod, or all. */
  listPodSandboxes(signal: AbortSignal, podUid?: string): Promise<readonly SandboxStatus[]>;

  createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig, signal: AbortSignal): Promise<string>;
  startContainer(id: string, signal: AbortSignal): Promise<void>;
  /** Asks it to end, and after so many seconds makes it; resolves when it has ended. Fine when it has ended already. */
  stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void>;
  removeContainer(id: string, signal: AbortSignal): Promise<void>;
  /** With all that is known of them, of one Pod or all. */
  listContainers(signal: AbortSignal, podUid?: string): Promise<readonly ContainerStatus[]>;
  updateContainerResources(id: string, resources: LinuxResources, signal: AbortSignal): Promise<void>;
  /** After its log file was moved away. */
  reopenContainerLog(id: string, signal: AbortSignal): Promise<void>;

  /** Names of Pods (by uid) to which something happened; ends with the signal. Absent or failing: the kubelet looks each second. */
  events?(signal: AbortSignal): AsyncIterable<{ readonly podUid: string }>;

  /** Rejects with RuntimeError `timeout` after so many seconds; 0 waits for ever. Each output at most 16 MiB. */
  execSync(id: string, command: readonly string[], timeoutSeconds: number, signal: AbortSignal): Promise<ExecResult>;
  exec(id: string, request: TerminalRequest & { readonly command: readonly string[] }, signal: AbortSignal): Promise<Terminal>;
  attach(id: string, request: TerminalRequest, signal: AbortSignal): Promise<Terminal>;
  /** One connection to a port of the Pod. */
  portForward(sandboxId: string, port: number, signal: AbortSignal): Promise<Duplexed>;
  /** As a client in the Pods' network connects to a Pod. Only where there is no such network: its addresses lead nowhere else. */
  connect?(sandboxId: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /** From the beginning, or the last lines; those already rotated away too where they are still there. */
  logs(container: ContainerStatus, options: LogOptions, signal: AbortSignal): AsyncIterable<LogEntry>;

  /** Images are names without contents here: nothing is ever pulled. */
  readonly imagesAreNames?: true;
  /** What it cannot mount of images as volumes. Absent: it can mount all. */
  imageVolumes?(signal: AbortSignal): Promise<ImageVolumeProblems>;
  /** Resolves with what the image is known by from now on. */
  pullImage(image: string, auth: RegistryAuth | undefined, sandbox: SandboxConfig, signal: AbortSignal): Promise<string>;
  /** Undefined: it is not here. */
  imageStatus(image: string, signal: AbortSignal): Promise<ImageInfo | undefined>;
  listImages(signal: AbortSignal): Promise<readonly ImageInfo[]>;
  removeImage(id: string, signal: AbortSignal): Promise<void>;
  imageFileSystem(signal: AbortSignal): Promise<ImageFileSystem>;

  stats(signal: AbortSignal): Promise<RuntimeStats>;
}

/** Why images, or parts of them, cannot be volumes; what is absent can be. */
export interface ImageVolumeProblems {
  readonly images?: string;
  readonly subPaths?: string;
}

/** How a command in a container has ended, with all that it wrote. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Where a runtime keeps its images, and how full that is, in bytes. */
export interface ImageFileSystem {
  /** What is not free, whosever it is. */
  readonly usedBytes: number;
  readonly capacityBytes: number;
  /** What the images alone take, where the runtime reports it. */
  readonly imageBytes?: number;
  readonly path: string;
}

/** A connection of bytes in both directions, each of which ends on its own. */
export interface Duplexed extends Disposable {
  readonly readable: AsyncIterable<Uint8Array>;
  /** Resolves when more may follow. */
  write(chunk: Uint8Array): Promise<void>;
  /** Nothing more is written; reading goes on. */
  end(): void;
}

/** Credentials for a registry of images, in the form of the Container Runtime Interface. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}
