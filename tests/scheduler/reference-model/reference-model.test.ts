/** The plugins say of every node what the plain model says, whatever has happened before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MutableNodeInfo, newNodeInfo, newPodInfo, type Snapshot } from "@coxswain/scheduler";
import fc from "fast-check";
import { pluginRunOn } from "../plugin-run.ts";
import { broken, type Node, type Pod, type World } from "./model.ts";
import { namespaces, nodes, resized, type Step, steps } from "./worlds.ts";

test("plugins and model agree on every node at every step", () =>
  fc.assert(
    fc.property(nodes, steps, (at, happening) => {
      const cluster = new Cluster(at);
      for (const step of happening) cluster.do(step);
    }),
    { numRuns: 500 },
  ));

/** One set of plugins sees it all, as a scheduler's do. */
class Cluster {
  readonly #nodes = new Map<string, MutableNodeInfo>();
  #pods: Pod[] = [];
  #generation = 0;
  #names = 0;
  readonly #namespaces = Array.from(namespaces, ([name, labels]) => ({ metadata: { name, labels } }));
  readonly #run = pluginRunOn(() => this.#snapshot(), { namespaces: this.#namespaces });

  constructor(at: readonly Node[]) {
    for (const node of at) this.#set(node);
  }

  do(step: Step): void {
    switch (step.do) {
      case "place":
        this.#place(step.pod, step.choice);
        break;
      case "set node":
        this.#set(step.node);
        break;
      case "delete node":
        this.#delete(chosenOf([...this.#nodes.keys()], step.choice) ?? "");
        break;
      case "recreate node": {
        const draft = chosenOf([...this.#nodes.values()], step.choice);
        if (draft === undefined) break;
        this.#nodes.delete(draft.name);
        this.#set(draft.node);
        for (const pod of this.#pods) if (pod.spec?.nodeName === draft.name) this.#open(pod)?.add(newPodInfo(pod));
        break;
      }
      case "label namespace": {
        const at = this.#namespaces.findIndex(({ metadata }) => metadata.name === step.namespace);
        this.#namespaces[at] = { metadata: { name: step.namespace, labels: step.labels } };
        break;
      }
      default: {
        const chosen = chosenOf(this.#pods, step.choice);
        if (chosen === undefined) break;
        this.#take(chosen);
        if (step.do === "relabel") this.#put({ ...chosen, metadata: { ...chosen.metadata, labels: { app: step.app } } });
        if (step.do === "resize") this.#put(resized(chosen, step.cpu));
        if (step.do === "terminate") this.#put({ ...chosen, metadata: { ...chosen.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
      }
    }
  }

  #place(nameless: Pod, choice: number): void {
    const uid = `uid-${++this.#names}`;
    const pod = { ...nameless, metadata: { ...nameless.metadata, name: uid, uid } };
    const world: World = {
      nodes: Array.from(this.#nodes.values(), ({ node }) => node),
      pods: this.#pods,
      namespaces: new Map(this.#namespaces.map(({ metadata: { name, labels } }) => [name, labels])),
    };
    const refusals = this.#run.refusals(newPodInfo(pod));
    const rules = world.nodes.map((node) => ({ node, rules: broken(world, pod, node) }));
    for (const { node, rules: against } of rules) {
      const name = node.metadata?.name ?? "";
      assert.equal(refusals.has(name), against.length > 0, `${name}: the model says ${against}, the plugins ${refusals.get(name)}`);
    }
    const free = rules.filter((one) => one.rules.length === 0);
    assert.equal(refusals.size + free.length, world.nodes.length);
    const target = chosenOf(free, choice)?.node;
    if (target !== undefined)
      this.#put({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: target.metadata?.name ?? "" } });
  }

  #put(pod: Pod): void {
    this.#pods.push(pod);
    this.#open(pod)?.add(newPodInfo(pod));
  }

  #take(pod: Pod): void {
    this.#pods = this.#pods.filter((one) => one !== pod);
    this.#open(pod)?.remove({ uid: pod.metadata?.uid ?? "" });
  }

  #open({ spec }: Pod): MutableNodeInfo | undefined {
    const draft = this.#nodes.get(spec?.nodeName ?? "");
    if (draft !== undefined) draft.generation = ++this.#generation;
    return draft;
  }

  #set(node: Node): void {
    const name = node.metadata?.name ?? "";
    const draft = this.#nodes.get(name) ?? newNodeInfo(node);
    draft.setNode(node);
    draft.generation = ++this.#generation;
    this.#nodes.set(name, draft);
  }

  #delete(name: string): void {
    this.#nodes.delete(name);
    this.#pods = this.#pods.filter(({ spec }) => spec?.nodeName !== name);
  }

  #snapshot(): Snapshot {
    const all = [...this.#nodes.values()];
    return {
      nodes: all,
      get: (name) => this.#nodes.get(name),
      nodesWithAffinity: all.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0),
      nodesWithRequiredAntiAffinity: all.filter(({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0),
      imageNodes: new Map(),
      generation: this.#generation,
    };
  }
}

const chosenOf = <T>(all: readonly T[], choice: number): T | undefined => all[choice % Math.max(all.length, 1)];
