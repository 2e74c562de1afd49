/**
 * The extension points of the scheduling framework.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
import type { Client, EventRecorder, InformerSet } from "@coxswain/client";
import type { ClusterEvent, QueueingHint } from "./cluster-event.ts";
import type { CycleState } from "./cycle-state.ts";
import type { Extender } from "./extender.ts";
import type { NodeInfo, Snapshot } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Verdict } from "./verdict.ts";

/** What a plugin may use besides its arguments: it is made once for each profile. */
export interface PluginHandle {
  readonly client: Client;
  readonly informers: InformerSet;
  readonly events: EventRecorder;
  readonly extenders: readonly Extender[];
  /** As of the attempt under way. */
  snapshot(): Snapshot;
  /** Pods nominated to a node by preemption, that are not there yet. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Stops a Pod that waits for leave or is just being bound: it comes back later. False: there is no such Pod, or it is too late. */
  stopBinding(uid: string, reason: string): boolean;
  /** Pods that wait for leave, as `permit` had it, with the plugins for whose leave they wait. */
  waitingPods(): readonly { readonly pod: PodInfo; readonly node: string; readonly waitsFor: readonly string[] }[];
  /** Gives a plugin's leave. False: no such Pod waits. */
  allowBinding(uid: string, plugin: string): boolean;
  /** Has this Pod tried at once, whatever it waits for. */
  activate(pod: PodInfo): void;
  /** Work beside the attempts. It must not throw; the scheduler ends once it has. */
  background(work: (signal: AbortSignal) => Promise<void>): void;
  /** Filters of the profile, with nominated Pods of at least this priority taken as being there. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict | undefined;
  /** Tells preFilter's results of a Pod that comes to or leaves a node, in thought. */
  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Verdict | undefined;
  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Verdict | undefined;
}

/** What preFilter may know: only these nodes need be asked. Undefined or no `nodes`: all of them. */
export interface PreFilterResult {
  readonly nodes?: ReadonlySet<string>;
}

/** The plugin has nothing to say about this Pod: its filter (or score) is left out for it. */
export const skip: unique symbol = Symbol("skip");
export type Skip = typeof skip;

export interface Nomination {
  readonly node: string;
}

/** No room can be made. */
export interface PostFilterVerdict extends Verdict {
  /** Nor where the Pod is nominated: its nomination is void. */
  readonly clearsNomination?: boolean;
}

/** Names of nodes with what each said. */
export type NodeVerdicts = ReadonlyMap<string, Verdict>;

export interface SchedulerPlugin {
  /** As in `0/3 nodes`' diagnosis, in configuration and in what is explained. */
  readonly name: string;
  /** A verdict keeps the Pod out of the queue, with no attempt made: scheduling gates. */
  preEnqueue?(pod: PodInfo): Verdict | undefined;
  /** What could make a Pod schedulable that this plugin has refused. Default: anything. */
  readonly events?: readonly { readonly event: ClusterEvent; readonly hint?: QueueingHint }[];
  /** One profile has exactly one plugin with an order. Whether `a` comes first. */
  less?(a: QueuedPod, b: QueuedPod): boolean;
  preFilter?(state: CycleState, pod: PodInfo, snapshot: Snapshot): PreFilterResult | Verdict | Skip | undefined;
  addPod?(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Verdict | undefined;
  removePod?(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Verdict | undefined;
  /** Synchronous: it is asked of hundreds of nodes for each Pod. */
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict | undefined;
  postFilter?(
    state: CycleState,
    pod: PodInfo,
    verdicts: NodeVerdicts,
    signal: AbortSignal,
  ): Promise<Nomination | PostFilterVerdict | undefined>;
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Verdict | Skip | undefined;
  /** Any number, if `normalizeScore` brings it into 0 to 100. */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** In place; as many scores as nodes. */
  normalizeScore?(state: CycleState, pod: PodInfo, scores: Float64Array): void;
  reserve?(state: CycleState, pod: PodInfo, node: string): Verdict | undefined;
  /** Undoes `reserve`; must not fail, and may come without it. */
  unreserve?(state: CycleState, pod: PodInfo, node: string): void;
  /** Milliseconds to wait for somebody's leave, at most; undefined lets it go on. */
  permit?(state: CycleState, pod: PodInfo, node: string): Verdict | { readonly waitMs: number } | undefined;
  /** Whether `preBind` will take its time with this Pod; default: no. Then the Pod's status tells meanwhile where it is going. */
  willPreBind?(state: CycleState, pod: PodInfo, node: string): boolean;
  preBind?(state: CycleState, pod: PodInfo, node: string, signal: AbortSignal): Promise<Verdict | undefined>;
  /** Undefined: not mine, ask the next. */
  bind?(state: CycleState, pod: PodInfo, node: string, signal: AbortSignal): Promise<"bound" | Verdict | undefined>;
  postBind?(state: CycleState, pod: PodInfo, node: string): void;
}

export interface QueuedPod {
  readonly pod: PodInfo;
  /** When it came into the queue; milliseconds since the epoch. */
  readonly queuedAt: number;
}

/** `args` as the configuration gives them for the plugin, `{}` where it gives none. */
export type PluginFactory = (args: Readonly<Record<string, unknown>>, handle: PluginHandle) => SchedulerPlugin;
