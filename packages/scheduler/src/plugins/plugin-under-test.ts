/** One plugin by itself, and what it says of a Pod on some nodes. */
import { createCycleState } from "../framework/cycle-state.ts";
import { type MutableNodeInfo, newNodeInfo } from "../framework/new-node-info.ts";
import { newPodInfo } from "../framework/new-pod-info.ts";
import type { Node, NodeInfo } from "../framework/node-info.ts";
import { type PluginFactory, type SchedulerPlugin, skip } from "../framework/plugin.ts";
import type { Pod, PodInfo } from "../framework/pod-info.ts";
import { handleOf, type Objects, snapshotOf } from "./volumes/objects-under-test.ts";

export interface Scene {
  readonly nodes: readonly NodeInfo[];
  readonly args?: Readonly<Record<string, unknown>>;
  readonly objects?: Objects;
}

export type NodeFields = Readonly<{
  labels?: Record<string, string>;
  taints?: NonNullable<NonNullable<Node["spec"]>["taints"]>;
  unschedulable?: boolean;
  allocatable?: Record<string, string>;
  images?: NonNullable<NonNullable<Node["status"]>["images"]>;
}>;

export function nodeNamed(name: string, { labels = {}, taints, unschedulable, allocatable, images }: NodeFields = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { ...(taints && { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...allocatable }, ...(images && { images }) },
  };
}

export const nodeWith = (name: string, fields: NodeFields = {}, pods: readonly Pod[] = []): MutableNodeInfo =>
  newNodeInfo(nodeNamed(name, fields), pods);

let uids = 0;

/** In the namespace `default`; with one container, unless the spec says otherwise. */
export function podWith(spec: Partial<NonNullable<Pod["spec"]>> = {}, metadata: Pod["metadata"] = {}): Pod {
  const uid = `uid-${++uids}`;
  return {
    metadata: { namespace: "default", name: uid, uid, ...metadata },
    spec: { containers: [{ name: "main", image: "app" }], ...spec },
  };
}

export const labelled = (labels: Record<string, string>, spec: Partial<NonNullable<Pod["spec"]>> = {}): Pod => podWith(spec, { labels });

const pluginIn = (factory: PluginFactory, { nodes, args = {}, objects = {} }: Scene): SchedulerPlugin =>
  factory(args, handleOf({ objects, nodes, snapshot: () => snapshotOf(nodes) }));

/** By node: "" or the reasons, with a `!` in front where preemption does not help. One text for all when preFilter says it. */
export function statuses(factory: PluginFactory, scene: Scene, pod: Pod): Readonly<Record<string, string>> | string {
  const plugin = pluginIn(factory, scene);
  const info = newPodInfo(pod);
  const state = createCycleState();
  const first = plugin.preFilter?.(state, info, snapshotOf(scene.nodes));
  if (first === skip) return "skip";
  if (first !== undefined && "code" in first) return textOf(first);
  const asked = scene.nodes.filter(({ name }) => first?.nodes?.has(name) !== false);
  return Object.fromEntries(asked.map((node) => [node.name, textOf(plugin.filter?.(state, info, node))]));
}

const textOf = (status: { readonly code: string; readonly reasons: readonly string[] } | undefined): string =>
  status === undefined ? "" : `${status.code === "UnschedulableAndUnresolvable" ? "!" : ""}${status.reasons.join("; ")}`;

/** Of each node, normalized. */
export function scores(factory: PluginFactory, scene: Scene, pod: Pod): readonly number[] | "skip" {
  const plugin = pluginIn(factory, scene);
  return scoresOf(plugin, scene.nodes, newPodInfo(pod));
}

export function scoresOf(plugin: SchedulerPlugin, nodes: readonly NodeInfo[], info: PodInfo): readonly number[] | "skip" {
  const state = createCycleState();
  const first = plugin.preScore?.(state, info, nodes);
  if (first === skip) return "skip";
  const all = Float64Array.from(nodes, (node) => plugin.score?.(state, info, node) ?? 0);
  plugin.normalizeScore?.(state, info, all);
  return [...all];
}

/** Whether the event is one to which the plugin listens, and would try this Pod again. */
export function wakes(factory: PluginFactory, scene: Partial<Scene>, event: WakingEvent): boolean {
  const plugin = pluginIn(factory, { nodes: [], ...scene });
  const [resource, action] = event.what;
  return (plugin.events ?? []).some(
    ({ event: { resource: of, actions }, hint }) =>
      of === resource && actions.includes(action) && (hint?.(newPodInfo(event.pod), event.before, event.after) ?? true),
  );
}

type ListenedTo = NonNullable<SchedulerPlugin["events"]>[number]["event"];

export interface WakingEvent {
  readonly what: readonly [ListenedTo["resource"], ListenedTo["actions"][number]];
  readonly pod: Pod;
  readonly before?: Node | Pod;
  readonly after?: Node | Pod;
}
