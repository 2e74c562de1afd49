import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MetricsRegistry } from "@coxswain/client";
import { ManualClock } from "@coxswain/machinery";
import fc from "fast-check";
import { createCycleState, stateKey } from "../framework/cycle-state.ts";
import { newNodeInfo } from "../framework/new-node-info.ts";
import { newPodInfo } from "../framework/new-pod-info.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import { type SchedulerPlugin, skip } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { unschedulable, unschedulableAndUnresolvable } from "../framework/status.ts";
import { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import { Nominator } from "../queue/nominator.ts";
import { Diagnosis } from "../runtime/diagnosis.ts";
import { runFilterPluginsWithNominatedPods } from "../runtime/filters.ts";
import type { Profile } from "../runtime/profile.ts";
import { NodeScorer, selectHost } from "../runtime/score-nodes.ts";
import { FeasibleNodeFinder, numFeasibleNodesToFind } from "./find-nodes.ts";

const profileOf = (...plugins: SchedulerPlugin[]): Profile => ({
  schedulerName: "s",
  percentageOfNodesToScore: 0,
  plugins: new Map(plugins.map((plugin) => [plugin.name, plugin])),
  preEnqueue: [],
  preFilter: plugins.filter(({ preFilter }) => preFilter !== undefined),
  filter: plugins.filter(({ filter }) => filter !== undefined),
  postFilter: [],
  preScore: plugins.filter(({ preScore }) => preScore !== undefined),
  score: plugins.filter(({ score }) => score !== undefined).map((plugin) => ({ plugin, weight: 2 })),
  reserve: [],
  permit: [],
  preBind: [],
  bind: [],
  postBind: [],
  sorter: "",
  less: () => false,
});

const podNamed = (name: string, priority = 0): PodInfo => newPodInfo({ metadata: { name, uid: name }, spec: { priority, containers: [] } });

const snapshotOf = (nodes: readonly NodeInfo[]): Snapshot => ({
  nodes,
  get: (name) => nodes.find((node) => node.name === name),
  nodesWithAffinity: [],
  nodesWithRequiredAntiAffinity: [],
  imageNodes: new Map(),
  generation: 1,
});

const nodesNamed = (count: number): NodeInfo[] => Array.from({ length: count }, (_, i) => newNodeInfo({ metadata: { name: `n${i}` } }));

function search(profile: Profile, nodes: readonly NodeInfo[], pod = podNamed("p"), nominator = new Nominator()) {
  const diagnosis = new Diagnosis();
  const found = {
    profile,
    state: createCycleState(),
    pod,
    snapshot: snapshotOf(nodes),
    diagnosis,
    nominator,
    extenders: [],
    metrics: new SchedulerMetrics(new MetricsRegistry(), new ManualClock()),
  };
  return { ...found, signal: new AbortController().signal };
}

describe("how many nodes are enough", () => {
  const cases: readonly (readonly [percentage: number, nodes: number, enough: number])[] = [
    [0, 99, 99],
    [0, 100, 100],
    [0, 1_000, 420],
    [0, 5_000, 500],
    [0, 10_000, 500],
    [30, 1_000, 300],
    [5, 1_000, 100],
    [100, 5_000, 5_000],
  ];
  for (const [percentage, nodes, enough] of cases)
    test(`${enough} of ${nodes}, at ${percentage} percent`, () => assert.equal(numFeasibleNodesToFind(percentage, nodes), enough));
});

describe("the search for nodes", () => {
  const scored: SchedulerPlugin = { name: "Any", filter: () => undefined, score: () => 0 };

  test("begins where the last one ended", () => {
    const finder = new FeasibleNodeFinder();
    const nodes = nodesNamed(250);
    const firsts = Array.from({ length: 4 }, () => {
      const [first, ...others] = namesOf(finder.find(search(profileOf(scored), nodes)));
      return [first, 1 + others.length];
    });
    assert.deepEqual(firsts, [
      ["n0", 120],
      ["n120", 120],
      ["n240", 120],
      ["n110", 120],
    ]);
  });

  test("takes the first feasible node when no plugin scores", () => {
    const finder = new FeasibleNodeFinder();
    const odd: SchedulerPlugin = {
      name: "Odd",
      filter: (_, _pod, { name }) => (Number(name.slice(1)) % 2 ? undefined : unschedulable("even")),
    };
    const one = search(profileOf(odd), nodesNamed(5));
    assert.deepEqual(namesOf(finder.find(one)), ["n1"]);
    assert.deepEqual(namesOf(finder.find(search(profileOf(odd), nodesNamed(5)))), ["n3"]);
  });

  test("asks only the nodes that are worth it, and the nominated one before all", () => {
    const some: SchedulerPlugin = {
      name: "Some",
      preFilter: () => ({ nodes: new Set(["n3", "n4", "gone"]) }),
      filter: () => undefined,
      score: () => 0,
    };
    const finder = new FeasibleNodeFinder();
    const all = search(profileOf(some), nodesNamed(5));
    assert.deepEqual(namesOf(finder.find(all)).toSorted(), ["n3", "n4"]);
    assert.match(all.diagnosis.message(5), /5 node\(s\) didn't satisfy plugin\(s\) \[Some\]/);
    const nominated = newPodInfo({ metadata: { name: "p", uid: "p" }, spec: { containers: [] }, status: { nominatedNodeName: "n2" } });
    assert.deepEqual(namesOf(finder.find(search(profileOf(some), nodesNamed(5), nominated))), ["n2"]);
  });

  test("leaves out filters that have nothing to say about the Pod", () => {
    const silent: SchedulerPlugin = { name: "Silent", preFilter: () => skip, filter: () => unschedulable("never asked") };
    assert.equal(namesOf(new FeasibleNodeFinder().find(search(profileOf(silent, scored), nodesNamed(3)))).length, 3);
  });

  test("a status of PreFilter is reported instead of those of nodes", () => {
    const strict: SchedulerPlugin = { name: "Strict", preFilter: () => unschedulableAndUnresolvable("the Pod is wrong") };
    const one = search(profileOf(strict, scored), nodesNamed(3));
    assert.deepEqual(namesOf(new FeasibleNodeFinder().find(one)), []);
    assert.equal(one.diagnosis.message(3), "0/3 nodes are available: the Pod is wrong.");
    assert.deepEqual([...one.diagnosis.unschedulablePlugins], ["Strict"]);
    assert.equal(one.diagnosis.nodeToStatus(one.snapshot.nodes).get("n1")?.code, "UnschedulableAndUnresolvable");
  });

  test("choices that have nothing in common leave no node", () => {
    const choosers = ["A", "B"].map((name): SchedulerPlugin => ({ name, preFilter: () => ({ nodes: new Set([name]) }) }));
    const one = search(profileOf(...choosers), nodesNamed(2));
    assert.deepEqual(namesOf(new FeasibleNodeFinder().find(one)), []);
    assert.equal(one.diagnosis.message(2), "0/2 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.");
  });
});

describe("Pods nominated to a node", () => {
  const seen = stateKey<number>("seen", (count) => count);
  /** Room for one more, and for those that AddPod has added. */
  const room: SchedulerPlugin = {
    name: "Room",
    preFilter: (state) => void state.set(seen, 0),
    addPod: (state) => void state.set(seen, (state.get(seen) ?? 0) + 1),
    filter: (state, _, { pods }) => (pods.length > 0 || (state.get(seen) ?? 0) > 0 ? unschedulable("full") : undefined),
  };

  const cases = [
    { name: "count for less important Pods", nominated: podNamed("vip", 10), expect: "full" },
    { name: "count for Pods that are as important", nominated: podNamed("other", 0), expect: "full" },
    { name: "do not count for more important Pods", nominated: podNamed("low", -1), expect: undefined },
    { name: "do not stand in their own way", nominated: podNamed("p", 5), expect: undefined },
  ];
  for (const { name, nominated, expect } of cases)
    test(name, () => {
      const nominator = new Nominator();
      nominator.set(nominated, "n0");
      const { profile, state, pod, snapshot } = search(profileOf(room), nodesNamed(1));
      const [node] = snapshot.nodes;
      assert.ok(node);
      assert.equal(runFilterPluginsWithNominatedPods(profile, state, pod, { node, nominator })?.reasons[0], expect);
      assert.equal(node.pods.length, 0, "in thought only");
    });

  test("must not be needed either", () => {
    const needy: SchedulerPlugin = {
      name: "Needy",
      filter: (_, _pod, { pods }) => (pods.length === 0 ? unschedulable("lonely") : undefined),
    };
    const nominator = new Nominator();
    nominator.set(podNamed("friend"), "n0");
    const { profile, state, pod, snapshot } = search(profileOf(needy), nodesNamed(1));
    const [node] = snapshot.nodes;
    assert.ok(node);
    assert.equal(runFilterPluginsWithNominatedPods(profile, state, pod, { node, nominator })?.reasons[0], "lonely");
  });
});

describe("scores", () => {
  test("are weighted and added up; who has nothing to say gives nothing", () => {
    const rank: SchedulerPlugin = {
      name: "Rank",
      score: (_, _pod, { name }) => Number(name.slice(1)),
      normalizeScore: (_, _pod, scores) => scores.set(scores.map((score) => score * 50)),
    };
    const silent: SchedulerPlugin = { name: "Silent", preScore: () => skip, score: () => 100 };
    const { totals, columns } = new NodeScorer().score(profileOf(rank, silent), createCycleState(), podNamed("p"), nodesNamed(3));
    assert.deepEqual([...totals], [0, 100, 200]);
    assert.deepEqual(
      columns.map(({ name }) => name),
      ["Rank"],
    );
  });

  test("beyond their bounds fail the attempt", () => {
    const wild: SchedulerPlugin = { name: "Wild", score: () => 101 };
    assert.throws(() => new NodeScorer().score(profileOf(wild), createCycleState(), podNamed("p"), nodesNamed(2)), {
      message:
        'applying score defaultWeights on Score plugins: plugin "Wild" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
    });
  });

  test("the best is picked, and among equals chance decides", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { minLength: 1 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (totals, chance) => {
          const best = Math.max(...totals);
          const equals = totals.flatMap((total, at) => (total === best ? at : []));
          assert.equal(
            selectHost(Float64Array.from(totals), () => chance),
            equals[Math.floor(chance * equals.length)],
          );
        },
      ),
    );
  });
});

const namesOf = (found: readonly NodeInfo[] | Promise<readonly NodeInfo[]>): string[] => {
  assert.ok(Array.isArray(found));
  return found.map(({ name }: NodeInfo) => name);
};
