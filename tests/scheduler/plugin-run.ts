/** The default plugins by themselves, without queue, cache and binding. */
import { type Client, createClient, createEventRecorder, type InformerSet, type Transport } from "@coxswain/client";
import { type KubeObject, type LabelSelector, ManualClock } from "@coxswain/machinery";
import {
  createCycleState,
  defaultPlugins,
  type Handle,
  type NodeInfo,
  newNodeInfo,
  type Pod,
  type PodInfo,
  pluginFactories,
  type SchedulerPlugin,
  type Snapshot,
  skip,
} from "@coxswain/scheduler";

type Node = Parameters<typeof newNodeInfo>[0];

export interface Cluster {
  readonly nodes: readonly Node[];
  /** Each on the node that it names. */
  readonly pods: readonly Pod[];
  readonly services?: readonly KubeObject[];
  readonly namespaces?: readonly KubeObject[];
}

/** By plugin. */
export type PluginArgs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface PluginRun {
  snapshot(): Snapshot;
  /** By node: why not; those where the Pod fits are left out. */
  refusals(pod: PodInfo): Map<string, readonly string[]>;
  /** By plugin and node, weighted, of the nodes given. */
  scores(pod: PodInfo, nodes: readonly NodeInfo[]): Record<string, Record<string, number>>;
}

export function pluginRun(cluster: Cluster, args?: PluginArgs): PluginRun {
  const snapshot = snapshotOf(cluster);
  return pluginRunOn(() => snapshot, cluster, args);
}

/** One set of plugins for whatever the snapshot becomes. */
export function pluginRunOn(snapshot: () => Snapshot, objects: Pick<Cluster, "services" | "namespaces">, args: PluginArgs = {}): PluginRun {
  const handle = handleOf(objects, snapshot);
  const plugins = defaultPlugins
    .filter(({ name }) => !name.startsWith("Volume") && name !== "NodeVolumeLimits" && name !== "DefaultPreemption")
    .map(({ name, weight = 0 }) => ({ plugin: made(name, handle, args[name]), weight }));
  return {
    snapshot,
    refusals: (pod) =>
      refusals(
        plugins.map(({ plugin }) => plugin),
        pod,
        snapshot(),
      ),
    scores: (pod, nodes) => {
      const state = createCycleState();
      const all: Record<string, Record<string, number>> = {};
      for (const { plugin, weight } of plugins) {
        if (plugin.score === undefined || plugin.preScore?.(state, pod, nodes) === skip) continue;
        const scores = Float64Array.from(nodes, (node) => plugin.score?.(state, pod, node) ?? 0);
        plugin.normalizeScore?.(state, pod, scores);
        all[plugin.name] = Object.fromEntries(nodes.map(({ name }, i) => [name, (scores[i] ?? 0) * weight]));
      }
      return all;
    },
  };
}

function made(name: string, handle: Handle, args: PluginArgs[string] = {}): SchedulerPlugin {
  const factory = pluginFactories.get(name);
  if (factory === undefined) throw new Error(`there is no plugin ${name}`);
  return factory(args, handle);
}

function refusals(plugins: readonly SchedulerPlugin[], pod: PodInfo, snapshot: Snapshot): Map<string, readonly string[]> {
  const state = createCycleState();
  const filters: SchedulerPlugin[] = [];
  let chosen: ReadonlySet<string> | undefined;
  for (const plugin of plugins) {
    const said = plugin.preFilter?.(state, pod, snapshot);
    if (said === skip) continue;
    if (said !== undefined && "code" in said) return new Map(snapshot.nodes.map(({ name }) => [name, said.reasons]));
    if (said?.nodes !== undefined) chosen = said.nodes;
    filters.push(plugin);
  }
  const found = new Map<string, readonly string[]>();
  for (const node of snapshot.nodes) {
    if (chosen?.has(node.name) === false) found.set(node.name, ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]);
    else {
      const status = filters.map((plugin) => plugin.filter?.(state, pod, node)).find((one) => one !== undefined);
      if (status !== undefined) found.set(node.name, status.reasons);
    }
  }
  return found;
}

function snapshotOf({ nodes, pods }: Cluster): Snapshot {
  const infos = nodes.map((node) =>
    newNodeInfo(
      node,
      pods.filter(({ spec }) => spec?.nodeName === node.metadata?.name),
    ),
  );
  const imageNodes = new Map<string, number>();
  for (const { images } of infos) for (const name of images.keys()) imageNodes.set(name, (imageNodes.get(name) ?? 0) + 1);
  return {
    nodes: infos,
    get: (name) => infos.find((info) => info.name === name),
    nodesWithAffinity: infos.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0),
    nodesWithRequiredAntiAffinity: infos.filter(({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0),
    imageNodes,
    generation: 1,
  };
}

function handleOf({ services = [], namespaces = [] }: Pick<Cluster, "services" | "namespaces">, snapshot: () => Snapshot): Handle {
  const client: Client = createClient({ transport: nowhere, clock: new ManualClock(0), random: { next: () => 0, uuid: () => "" } });
  const objects: Readonly<Record<string, readonly KubeObject[]>> = { services, namespaces };
  return {
    client,
    informers: informersOf(objects),
    events: createEventRecorder({ client, component: "default-scheduler" }),
    extenders: [],
    snapshot,
    nominatedPods: () => [],
    waitingPods: () => [],
    getWaitingPod: () => undefined,
    activate: () => undefined,
    background: () => undefined,
    runFilters: () => undefined,
    addPod: () => undefined,
    removePod: () => undefined,
  };
}

const nowhere: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

type Index = (object: KubeObject) => readonly string[];

/** Only what plugins read. */
function informersOf(objects: Readonly<Record<string, readonly KubeObject[]>>): InformerSet {
  const listerOf = (all: readonly KubeObject[], indexes: Readonly<Record<string, Index>>) => ({
    get: ({ namespace, name }: { readonly namespace?: string; readonly name: string }) =>
      all.find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace),
    list: ({ labelSelector }: { readonly labelSelector?: LabelSelector } = {}) =>
      all.filter(({ metadata }) => labelSelector?.matches(metadata?.labels) !== false),
    byIndex: (name: string, value: string) => all.filter((object) => indexes[name]?.(object).includes(value)),
  });
  const set = {
    use: ({ resource }: { readonly resource: string }, { indexes = {} }: { readonly indexes?: Readonly<Record<string, Index>> } = {}) => ({
      informer: { lister: listerOf(objects[resource] ?? [], indexes) },
    }),
  };
  return set as never;
}
