/**
 * The extension points of the scheduling framework.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
import type { ClusterEvent, QueueingHintFn } from "./cluster-event.ts";
import type { CycleState } from "./cycle-state.ts";
import type { Handle } from "./handle.ts";
import type { NodeInfo, Snapshot } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Status } from "./status.ts";

/** A PreFilterResult limits the nodes to be filtered to those named. Undefined, or no `nodes`: all of them. */
export interface PreFilterResult {
  readonly nodes?: ReadonlySet<string>;
}

/** The plugin has nothing to say about this Pod: its filter (or score) is left out for it. */
export const skip: unique symbol = Symbol("skip");
/** Skip is the type of `skip`. */
export type Skip = typeof skip;

/** A PostFilterResult nominates the Pod to a node on which preemption makes room. */
export interface PostFilterResult {
  readonly node: string;
}

/** A PostFilterStatus says that no room can be made for the Pod. */
export interface PostFilterStatus extends Status {
  /** Nor where the Pod is nominated: its nomination is void. */
  readonly clearsNomination?: boolean;
}

/** A NodeToStatus has the Status of each node that was filtered out, by the name of the node. */
export type NodeToStatus = ReadonlyMap<string, Status>;

/**
 * A SchedulerPlugin decides one aspect of scheduling, at the extension points whose methods it has.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
export interface SchedulerPlugin {
  /** As in `0/3 nodes`' diagnosis, in configuration and in what is explained. */
  readonly name: string;
  /** A status keeps the Pod out of the queue, with no attempt made: scheduling gates. */
  preEnqueue?(pod: PodInfo): Status | undefined;
  /** What could make a Pod schedulable that this plugin has refused. Default: anything. */
  readonly events?: readonly { readonly event: ClusterEvent; readonly hint?: QueueingHintFn }[];
  /** One profile has exactly one plugin with an order. Whether `a` comes first. */
  less?(a: QueuedPodInfo, b: QueuedPodInfo): boolean;
  preFilter?(state: CycleState, pod: PodInfo, snapshot: Snapshot): PreFilterResult | Status | Skip | undefined;
  addPod?(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  removePod?(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
  /** Synchronous: it is asked of hundreds of nodes for each Pod. */
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  postFilter?(
    state: CycleState,
    pod: PodInfo,
    statuses: NodeToStatus,
    signal: AbortSignal,
  ): Promise<PostFilterResult | PostFilterStatus | undefined>;
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | Skip | undefined;
  /** Any number, if `normalizeScore` brings it into 0 to 100. */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** In place; as many scores as nodes. */
  normalizeScore?(state: CycleState, pod: PodInfo, scores: Float64Array): void;
  reserve?(state: CycleState, pod: PodInfo, node: string): Status | undefined;
  /** Undoes `reserve`; must not fail, and may come without it. */
  unreserve?(state: CycleState, pod: PodInfo, node: string): void;
  /** Milliseconds to wait at most until the Pod is allowed; undefined allows it. */
  permit?(state: CycleState, pod: PodInfo, node: string): Status | { readonly waitMs: number } | undefined;
  /** Whether `preBind` will take its time with this Pod; default: no. Then the Pod's status has the nominated node meanwhile. */
  willPreBind?(state: CycleState, pod: PodInfo, node: string): boolean;
  preBind?(state: CycleState, pod: PodInfo, node: string, signal: AbortSignal): Promise<Status | undefined>;
  /** Undefined: not mine, ask the next. */
  bind?(state: CycleState, pod: PodInfo, node: string, signal: AbortSignal): Promise<"bound" | Status | undefined>;
  postBind?(state: CycleState, pod: PodInfo, node: string): void;
}

/** A QueuedPodInfo is a Pod of the scheduling queue, as `less` compares it. */
export interface QueuedPodInfo {
  readonly pod: PodInfo;
  /** When it came into the queue; milliseconds since the epoch. */
  readonly queuedAt: number;
}

/** A PluginFactory makes a plugin, once for each profile. `args` are those of the configuration, `{}` where it has none. */
export type PluginFactory = (args: Readonly<Record<string, unknown>>, handle: Handle) => SchedulerPlugin;
