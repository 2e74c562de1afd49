/** Caches with these objects in them, for plugins that read some. */
import { createClient, createEventRecorder, type Informer, type InformerSet, type ResourceRef, type Transport } from "@coxswain/client";
import type { KubeObject, LabelSelector } from "@coxswain/machinery";
import { ManualClock } from "@coxswain/machinery";
import type { Handle } from "../../framework/handle.ts";
import type { NodeInfo, Snapshot } from "../../framework/node-info.ts";

/** By resource. */
export type Objects = Readonly<Record<string, readonly KubeObject[]>>;

export function informersOf(objects: Objects): InformerSet {
  const indexes = new Map<string, (object: KubeObject) => readonly string[]>();
  const informer = ({ resource }: Pick<ResourceRef, "resource">) => {
    const all = objects[resource] ?? [];
    const lister = {
      size: all.length,
      get: ({ namespace, name }: { namespace?: string | undefined; name: string }) =>
        all.find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace),
      list: ({ namespace, labelSelector }: { namespace?: string; labelSelector?: LabelSelector } = {}) =>
        all.filter(
          ({ metadata }) =>
            (namespace === undefined || metadata?.namespace === namespace) && labelSelector?.matches(metadata?.labels) !== false,
        ),
      byIndex: (index: string, value: string) => all.filter((object) => indexes.get(`${resource}/${index}`)?.(object).includes(value)),
    };
    return { lister, onProgress: () => ({ [Symbol.dispose]: () => undefined }) };
  };
  const set = {
    use(ref: ResourceRef, options: { readonly indexes?: Readonly<Record<string, (object: KubeObject) => readonly string[]>> } = {}) {
      for (const [name, index] of Object.entries(options.indexes ?? {})) indexes.set(`${ref.resource}/${name}`, index);
      return { informer: informer(ref), [Symbol.dispose]: () => undefined };
    },
    covering: (ref: { resource: string }) => [informer(ref) as never as Informer],
  };
  return set as never as InformerSet;
}

export const snapshotOf = (nodes: readonly NodeInfo[]): Snapshot => ({
  nodes,
  get: (name) => nodes.find((node) => node.name === name),
  nodesWithAffinity: nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0),
  nodesWithRequiredAntiAffinity: nodes.filter(({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0),
  imageNodes: imageNodesOf(nodes),
  generation: 1,
});

function imageNodesOf(nodes: readonly NodeInfo[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { images } of nodes) for (const name of images.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Requests are answered by `handle`, which is given each. */
export function handleOf({
  objects = {},
  nodes = [],
  transport = unreachable,
  ...more
}: {
  readonly objects?: Objects;
  readonly nodes?: readonly NodeInfo[];
  readonly transport?: Transport;
} & Partial<Handle> = {}): Handle {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const client = createClient({ transport, clock, random: { next: () => 0, uuid: () => "uuid" } });
  return {
    client,
    informers: informersOf(objects),
    events: createEventRecorder({ client, component: "default-scheduler" }),
    extenders: [],
    snapshot: () => snapshotOf(nodes),
    nominatedPods: () => [],
    waitingPods: () => [],
    getWaitingPod: () => undefined,
    activate: () => undefined,
    background: (work) => void work(new AbortController().signal),
    runFilters: () => undefined,
    addPod: () => undefined,
    removePod: () => undefined,
    ...more,
  };
}

const unreachable: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
} as never;
