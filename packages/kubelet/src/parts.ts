/** What the pod worker relies on, each in a folder of its own, so that each can be tested and replaced alone. */
import type { coreV1 } from "@coxswain/api";
import type { PodRuntime } from "./runtime/pod-runtime.ts";
import type { ContainerConfig, Mount, PodIdentity, SandboxConfig } from "./runtime/runtime-config.ts";
import type { ContainerStatus, SandboxStatus } from "./runtime/runtime-status.ts";
import type { NodeUsage } from "./stats/node-usage.ts";

export type Pod = coreV1.Pod;
export type Container = coreV1.Container;

/** Why a container waits, as its state in the status has it, or why the whole Pod cannot go on. */
export class SyncError extends Error {
  /** `ErrImagePull`, `CreateContainerConfigError`, … */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SyncError";
    this.reason = reason;
  }
}

/** Volumes of a Pod, each in a directory (or at a path) of the node. */
export type MountedVolumes = ReadonlyMap<string, { readonly path: string; readonly readOnly: boolean; readonly selinuxRelabel: boolean }>;

export interface PodVolumes {
  /**
   * Makes all volumes of the Pod, or brings them up to date: what they show has changed, or a file is to be projected anew.
   * Idempotent. @throws SyncError with what cannot be mounted, of which FailedMount events are told by the caller
   */
  mount(pod: Pod, signal: AbortSignal): Promise<MountedVolumes>;
  /** After the last container has ended: unmounts and deletes what was the Pod's alone. */
  unmount(podUid: string, signal: AbortSignal): Promise<void>;
  /** Uids of Pods that still have something on this node: after a restart. */
  present(): Promise<readonly string[]>;
}

export interface PodConfigs {
  sandbox(pod: Pod, attempt: number): SandboxConfig;
  /** @throws SyncError `CreateContainerConfigError` for what is missing: a key of a ConfigMap, a Secret, … */
  container(request: ContainerRequest, signal: AbortSignal): Promise<ContainerConfig>;
  /** Of a Pod that is gone; absent where nothing writes logs. */
  removeLogs?(pod: PodIdentity): Promise<void>;
}

export interface ContainerRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly attempt: number;
  readonly image: { readonly ref: string; readonly uid: number | undefined; readonly username: string };
  readonly podIps: readonly string[];
  readonly volumes: MountedVolumes;
  /** Running and ended containers of the Pod, for `targetContainerName`. */
  readonly others: readonly ContainerStatus[];
  /** More mounts: the termination log and `/etc/hosts` are made by the implementation itself. */
  readonly extraMounts?: readonly Mount[];
}

export interface Images {
  /**
   * Sees to it that the image is here, by its pull policy, with backoff between failures; tells its events.
   * @throws SyncError `ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`, `RegistryUnavailable`
   */
  ensure(pod: Pod, container: Container, sandbox: SandboxConfig, signal: AbortSignal): Promise<ContainerRequest["image"]>;
}

/** Results of probes by container name. Undefined: no result yet. */
export interface ProbeResults {
  readonly startup: boolean | undefined;
  readonly readiness: boolean | undefined;
  readonly liveness: boolean | undefined;
}

export interface Probes extends Disposable {
  /** Follows the containers of a Pod: begins with a new id, ends with it. `changed` is called when a result changes. */
  follow(pod: Pod, containers: readonly ContainerStatus[], podIp: string, changed: () => void): void;
  /** Of the container with this id. */
  results(podUid: string, containerId: string): ProbeResults;
  forget(podUid: string): void;
}

export interface Hooks {
  /** postStart and preStop: exec, http, sleep. @throws SyncError with the message for the FailedPostStartHook (…) event */
  run(pod: Pod, container: Container, id: string, podIp: string, hook: coreV1.LifecycleHandler, signal: AbortSignal): Promise<void>;
}

/** The Pods of one node as the API server has them. */
export interface PodSource {
  /** Resolves with the first complete copy. */
  readonly synced: Promise<void>;
  list(): readonly Pod[];
  get(namespace: string, name: string): Pod | undefined;
  /** Told of each Pod that is new or has changed, and of each that is gone (`undefined`). */
  subscribe(changed: (ref: { readonly namespace: string; readonly name: string }, pod: Pod | undefined) => void): Disposable;
}

/** A Pod of this node with what the runtime has of it. */
export interface LocalPod {
  readonly pod: Pod;
  readonly sandbox: SandboxStatus | undefined;
  /** Ended ones too, newest attempt first. */
  readonly containers: readonly ContainerStatus[];
}

/** What the kubelet's server needs to know to serve logs, exec and figures. */
export interface LocalPods {
  list(): readonly LocalPod[];
  find(namespace: string, name: string, uid?: string): LocalPod | undefined;
}

/** One node behind the kubelet's server, which may serve several. */
export interface ServedNode {
  readonly name: string;
  readonly runtime: PodRuntime;
  readonly pods: LocalPods;
  /** Of the whole machine; without it, what its containers use. */
  readonly usage?: () => Promise<NodeUsage>;
  /** More for `/metrics`, and what `/metrics/probes` tells, in Prometheus' text format. */
  readonly metrics?: () => string | Promise<string>;
  readonly probeMetrics?: () => string | Promise<string>;
  /** What `/configz` tells. */
  readonly config?: object;
}

export interface KubeletParts {
  readonly runtime: PodRuntime;
  readonly volumes: PodVolumes;
  readonly configs: PodConfigs;
  readonly images: Images;
  readonly probes: Probes;
  readonly hooks: Hooks;
}
