/**
 * A whole scheduler against the plain model: no Pod is bound where a rule forbids it at that moment, and none waits for longer
 * than its pause while there is a node for it, whatever has made room.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type api,
  type Client,
  isForbidden,
  isInvalid,
  namespaces as namespaceResource,
  nodes as nodeResource,
  pods as podResource,
  startControllers,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster, virtualClock } from "coxswain/testing";
import fc from "fast-check";
import { broken, type Node, type Pod } from "./model.ts";
import { namespaces, nodes, resized, type Step, steps } from "./worlds.ts";

test("the scheduler decides as the reference model allows, and places every Pod that fits", () =>
  fc.assert(
    fc.asyncProperty(nodes, steps, async (at, happening) => {
      const clock = virtualClock();
      await using cluster = await startCluster({ clock });
      const { client } = cluster;
      for (const [name, labels] of namespaces)
        if (name !== "default") await client.resource(namespaceResource).create({ metadata: { name, labels } });
      for (const node of at) await setNode(client, node, async () => undefined);
      // One binding at a time, so that they come about in the order of the decisions.
      const scheduler = createScheduler({ profiles: [defaultProfile()], parallelBindings: 1 });
      await using _running = startControllers([scheduler], { client: cluster.clientFor({ name: "system:kube-scheduler" }) });
      await scheduler.ready;
      const history = new History();
      const goOn = async (seconds: number): Promise<void> => {
        await cluster.advance({ seconds });
        const labels = new Map<string, Labels>();
        for (const { metadata } of (await client.resource(namespaceResource).list()).items)
          labels.set(metadata?.name ?? "", metadata?.labels ?? {});
        const alive = (await client.resource(podResource).list()).items.filter(({ status }) => status?.phase !== "Succeeded");
        history.check((await client.resource(nodeResource).list()).items, alive, labels);
      };
      // A Pod that waits may be placed between two writes, by what is there then.
      const between = async (seconds: number): Promise<void> => {
        const { items } = await client.resource(podResource).list();
        if (items.some(({ spec }) => spec?.nodeName === undefined)) await goOn(seconds);
      };
      for (const [i, step] of happening.entries()) {
        await happen(client, step, `pod-${i}`, between);
        // Some Pods come together; what else happens, happens while nothing is under way.
        if (step.do === "place" && step.choice % 2 === 0 && happening[i + 1]?.do === "place") continue;
        // Each attempt reads the labels of namespaces, but as in Kubernetes their change requeues no Pod.
        await goOn(step.do === "label namespace" ? untilFlushedSeconds : pauseSeconds);
      }
    }),
    // To make a failure smaller would take minutes: it is shown as it came.
    { numRuns: 25, endOnFailure: true },
  ));

/** The longest pause is ten seconds. */
const pauseSeconds = 15;
/** Every half minute, Pods are tried again that have waited for more than five minutes while nothing has woken them. */
const untilFlushedSeconds = 330 + pauseSeconds;

type Labels = Readonly<Record<string, string>>;

/** What is known of the Pods that are on nodes. */
class History {
  #bound: readonly Pod[] = [];

  check(at: readonly Node[], all: readonly Pod[], labels: ReadonlyMap<string, Labels>): void {
    const known = new Set(this.#bound.map(({ metadata }) => metadata?.uid));
    const bound = all.filter(({ spec }) => spec?.nodeName !== undefined);
    const there = bound.filter(({ metadata }) => known.has(metadata?.uid));
    const coming = bound.filter(({ metadata }) => !known.has(metadata?.uid)).sort((a, b) => versionOf(a) - versionOf(b));
    for (const pod of coming) {
      const node = at.find(({ metadata }) => metadata?.name === pod.spec?.nodeName);
      assert.ok(node, "the node is there");
      const rules = broken({ nodes: at, pods: there, namespaces: labels }, pod, node);
      assert.deepEqual(rules, [], `${pod.metadata?.name} is bound to ${node.metadata?.name}`);
      there.push(pod);
    }
    for (const pod of all.filter(({ spec }) => spec?.nodeName === undefined)) {
      const free = at.filter((node) => broken({ nodes: at, pods: there, namespaces: labels }, pod, node).length === 0);
      assert.deepEqual(
        free.map(({ metadata }) => metadata?.name),
        [],
        `${pod.metadata?.name} waits, though it could go there`,
      );
    }
    this.#bound = there;
  }
}

const versionOf = ({ metadata }: Pod): number => Number(metadata?.resourceVersion);

type Between = (seconds: number) => Promise<void>;

async function happen(client: Client, step: Step, name: string, between: Between): Promise<void> {
  switch (step.do) {
    case "place":
      return makePod(client, step.pod, name);
    case "set node":
      return setNode(client, step.node, between);
    case "delete node": {
      const { items } = await client.resource(nodeResource).list();
      const node = items[step.choice % Math.max(items.length, 1)]?.metadata?.name;
      if (node === undefined) return;
      await client.resource(nodeResource).delete(node);
      for (const pod of (await client.resource(podResource).list()).items) if (pod.spec?.nodeName === node) await remove(client, pod);
      return;
    }
    case "recreate node": {
      const { items } = await client.resource(nodeResource).list();
      const node = items[step.choice % Math.max(items.length, 1)];
      if (node === undefined) return;
      const { name = "", labels = {} } = node.metadata ?? {};
      await client.resource(nodeResource).delete(name);
      // Affinity, as in Kubernetes, has no event for a deleted Node whose Pods stay.
      await between(untilFlushedSeconds);
      const { spec = {}, status } = node;
      return setNode(client, { metadata: { name, labels }, spec, status: { allocatable: status?.allocatable ?? {} } }, between);
    }
    case "label namespace":
      return void (await client
        .resource(namespaceResource)
        .patch(step.namespace, { type: "merge", patch: { metadata: { labels: { team: step.labels.team ?? null } } } }));
    default: {
      const { items } = await client.resource(podResource).list();
      const pod = items[step.choice % Math.max(items.length, 1)];
      if (pod !== undefined) await change(client, pod, step);
    }
  }
}

type PodStep = Extract<Step, { readonly do: "remove" | "terminate" | "finish" | "relabel" | "resize" }>;

async function change(client: Client, pod: Pod, step: PodStep): Promise<void> {
  const { namespace, name = "" } = pod.metadata ?? {};
  const resource = client.resource(podResource, namespace);
  switch (step.do) {
    case "relabel":
      return void (await resource.patch(name, { type: "merge", patch: { metadata: { labels: { app: step.app } } } }));
    case "finish":
      if (pod.spec?.nodeName === undefined) return;
      return void (await resource.patch(name, { type: "merge", patch: { status: { phase: "Succeeded" } } }, { subresource: "status" }));
    case "resize":
      return resize(client, pod, step.cpu);
    default:
      return remove(client, pod);
  }
}

async function resize(client: Client, pod: Pod, cpu: string): Promise<void> {
  const { namespace, name = "" } = pod.metadata ?? {};
  const patch = { spec: { containers: resized(pod, cpu).spec?.containers } };
  try {
    await client.resource(podResource, namespace).patch(name, { type: "merge", patch }, { subresource: "resize" });
  } catch (error) {
    // Its class of quality of service may not change, and who has finished stays as it is.
    if (!isInvalid(error) && !isForbidden(error)) throw error;
  }
}

async function remove(client: Client, { metadata }: Pod): Promise<void> {
  await client.resource(podResource, metadata?.namespace).delete(metadata?.name ?? "", { gracePeriodSeconds: 0 });
}

/** What the server lets in of it. */
async function makePod(client: Client, { metadata, spec }: Pod, name: string): Promise<void> {
  const named = (prefix: string) => (container: api.coreV1.Container, i: number) => {
    const requests = container.resources?.requests ?? {};
    const limits = Object.fromEntries(Object.entries(requests).filter(([resource]) => resource.includes("/")));
    return { ...container, name: `${prefix}${i}`, image: "x", resources: { requests, limits } };
  };
  const pod: Pod = {
    metadata: { ...metadata, name },
    spec: {
      ...spec,
      containers: (spec?.containers ?? []).map(named("c")),
      ...(spec?.initContainers && { initContainers: spec.initContainers.map(named("i")) }),
    },
  };
  try {
    await client.resource(podResource, metadata?.namespace).create(pod);
  } catch (error) {
    // Two constraints over the same key, or the same port twice.
    if (!isInvalid(error)) throw error;
  }
}

/** A known node in one write. A new one has a taint until it is ready, which is taken away with the second. */
async function setNode(client: Client, { metadata, spec = {}, status = {} }: Node, between: Between): Promise<void> {
  const name = metadata?.name ?? "";
  const labels = metadata?.labels ?? {};
  const resource = client.resource(nodeResource);
  const known = (await resource.list()).items.find((node) => node.metadata?.name === name);
  const { allocatable = {} } = status;
  const room = { allocatable, capacity: allocatable };
  if (known === undefined) {
    await resource.create({ metadata: { name, labels }, status: room });
    await between(pauseSeconds);
  }
  if (known === undefined || !deepEqual(known.metadata?.labels, labels) || !deepEqual(known.spec ?? {}, spec))
    await resource.modify(name, (draft) => ({ ...draft, metadata: { ...draft.metadata, labels }, spec }));
  else await resource.modify(name, (draft) => ({ ...draft, status: { ...draft.status, ...room } }), { subresource: "status" });
}
