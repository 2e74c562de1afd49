/** One Pod on its node: what the steps of its life share and leave for each other. */
import type { coreV1 } from "@coxswain/api";
import { messageOf, wireTime } from "@coxswain/machinery";
import { Allocation } from "../allocation/allocation.ts";
import { CrashBackoff } from "../kuberuntime/crash-backoff.ts";
import { type EndMessages, observePod } from "../kuberuntime/observe-pod.ts";
import type { SyncContext } from "../kuberuntime/sync-context.ts";
import type { Pod } from "../pod/pod.ts";
import { nothingThere, type PodState } from "../pod/pod-state.ts";
import type { ProbeResults } from "../prober/results.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import type { PodIdentity } from "../runtime/runtime-config.ts";
import { withTimes } from "../status/condition-times.ts";
import { podStatus } from "../status/pod-status.ts";
import type { WaitReason } from "../status/status-input.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import { pastDeadline } from "./active-deadline.ts";
import type { PodWorkerDependencies } from "./dependencies.ts";

/** What all Pods of a node share. */
export interface NodeContext extends SyncContext {
  readonly dependencies: PodWorkerDependencies;
  /** `containerd`, before the ids of containers. */
  readonly runtimeName: string;
  /** The node's own addresses. */
  readonly hostIps: () => readonly string[];
  readonly supportsRecursiveReadOnly: () => boolean;
  /** Why Pods get no network of their own now. Default: they do. */
  readonly networkProblem?: (() => string | undefined) | undefined;
  /** Undefined while it is not registered. */
  readonly node: () => coreV1.Node | undefined;
  /** The Pods that hold resources of the node, but for this one. */
  readonly neighbours: (uid: string) => readonly Pod[];
}

export interface StatusOptions {
  /** No container will start again. */
  readonly isOver: boolean;
  readonly eviction?: { readonly reason: string; readonly message: string } | undefined;
}

/** The runtime cannot be listed. */
export class PodStateError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "LookError";
  }
}

export class PodSyncStatus {
  readonly node: NodeContext;
  readonly uid: string;
  readonly isStatic: boolean;
  /** Undefined while the API has nothing that could have a status: of a static Pod without its mirror. */
  #writer: StatusWriter | undefined;
  #reported: coreV1.PodStatus | undefined;
  readonly backoff: CrashBackoff;
  readonly waits = new Map<string, WaitReason>();
  /** Before when containers that could not be started are not tried again. */
  readonly retryTimes = new Map<string, number>();
  /** Containers that are being killed. */
  readonly killing = new Set<string>();
  readonly allocation: Allocation;
  #wanted: Pod;
  #pod: Pod;
  /** As it was when last looked at. */
  state: PodState = nothingThere;
  resizeConditions: readonly coreV1.PodCondition[] = [];
  readonly #messages: EndMessages = new Map();

  constructor(node: NodeContext, pod: Pod, options: { readonly isStatic: boolean; readonly writer: StatusWriter | undefined }) {
    this.node = node;
    this.allocation = new Allocation(pod);
    this.#wanted = pod;
    this.#pod = this.allocation.apply(pod);
    this.uid = pod.metadata?.uid ?? "";
    this.isStatic = options.isStatic;
    this.#writer = options.writer;
    this.backoff = new CrashBackoff(node.clock);
  }

  /** As the API has it. */
  get wanted(): Pod {
    return this.#wanted;
  }

  set wanted(pod: Pod) {
    this.#wanted = pod;
    this.#pod = this.allocation.apply(pod);
  }

  /** As it runs: with the resources that it was given. */
  get pod(): Pod {
    return this.#pod;
  }

  get identity(): PodIdentity {
    const { namespace = "", name = "" } = this.pod.metadata ?? {};
    return { uid: this.uid, namespace, name };
  }

  /** What was said of it last. */
  get reported(): coreV1.PodStatus {
    return this.#writer?.reported ?? this.#reported ?? this.pod.status ?? {};
  }

  get writer(): StatusWriter | undefined {
    return this.#writer;
  }

  /** From now on the status is of this one. */
  set writer(writer: StatusWriter | undefined) {
    const { reported } = this;
    this.#writer?.[Symbol.dispose]();
    this.#writer = writer;
    this.#reported = reported;
    writer?.setStatus(this.pod, reported);
  }

  /** @throws LookError */
  async refreshState(signal: AbortSignal): Promise<PodState> {
    try {
      const seen = await callRuntime(this.node, signal, (runtime, own) => observePod(runtime, this.uid, this.#messages, own));
      // A Pod whose sandbox has ended keeps the address that it had.
      const hasOwn = seen.ips.length > 0 || seen.sandboxes.some(({ ready }) => ready);
      this.state = hasOwn ? seen : { ...seen, ips: this.state.ips };
      return this.state;
    } catch (error) {
      throw new PodStateError(error);
    }
  }

  readonly probes = (containerId: string): ProbeResults => this.node.dependencies.probes.results(this.uid, containerId);

  /** Computes the status from what was seen last. */
  status({ isOver, eviction }: StatusOptions): coreV1.PodStatus {
    const { pod, state, reported, node } = this;
    return podStatus({
      pod,
      state,
      reported,
      runtimeName: node.runtimeName,
      waits: (name) => this.waits.get(name),
      probes: this.probes,
      isOver,
      isStatic: this.isStatic,
      hostIps: node.hostIps(),
      resizeConditions: this.resizeConditions,
      eviction: eviction ?? pastDeadline(pod, reported, node.clock.now()),
      supportsRecursiveReadOnly: node.supportsRecursiveReadOnly(),
    });
  }

  setStatus(status: coreV1.PodStatus): void {
    if (this.#writer === undefined) this.#reported = withTimes(status, this.reported, wireTime(this.node.clock.now()));
    else this.#writer.setStatus(this.pod, status);
  }
}
