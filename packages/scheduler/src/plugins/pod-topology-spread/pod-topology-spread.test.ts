import assert from "node:assert/strict";
import { test } from "node:test";
import { createCycleState } from "../../framework/cycle-state.ts";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { labelled, nodeNamed, nodeWith, podWith, type Scene, scores, statuses, wakes } from "../plugin-under-test.ts";
import { handleOf, snapshotOf } from "../volumes/objects-under-test.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";

const web = { app: "web" };
type Constraint = NonNullable<NonNullable<Pod["spec"]>["topologySpreadConstraints"]>[number];
const over = (topologyKey: string, more: Partial<Constraint> = {}): Constraint => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: web },
  ...more,
});
const spread = (...topologySpreadConstraints: Constraint[]): Pod => labelled(web, { topologySpreadConstraints });
const pods = (count: number, labels: Record<string, string> = web): Pod[] => Array.from({ length: count }, () => labelled(labels));
const inZone = (name: string, zone: string, count: number) => nodeWith(name, { labels: { zone } }, pods(count));

const uneven = "node(s) didn't match pod topology spread constraints";
const nowhere = "!node(s) didn't match pod topology spread constraints (missing required label)";

const two = [inZone("a", "1", 2), inZone("b", "2", 1)];
const cases: readonly { name: string; nodes: Scene["nodes"]; pod: Pod; expect: unknown }[] = [
  {
    name: "a zone with more Pods than maxSkew allows, its nodes are rejected",
    nodes: two,
    pod: spread(over("zone")),
    expect: { a: uneven, b: "" },
  },
  {
    name: "a zone with as many Pods as a larger maxSkew allows, its nodes are feasible",
    nodes: two,
    pod: spread(over("zone", { maxSkew: 2 })),
    expect: { a: "", b: "" },
  },
  {
    name: "a zone without Pods, the minimum is 0",
    nodes: [...two, inZone("c", "3", 0)],
    pod: spread(over("zone")),
    expect: { a: uneven, b: uneven, c: "" },
  },
  {
    name: "a node without the topology label is rejected",
    nodes: [...two, nodeWith("c")],
    pod: spread(over("zone")),
    expect: { a: uneven, b: "", c: nowhere },
  },
  {
    name: "two nodes of a zone, their Pods are added up",
    nodes: [inZone("a", "1", 1), inZone("b", "1", 1), inZone("c", "2", 1)],
    pod: spread(over("zone")),
    expect: { a: uneven, b: uneven, c: "" },
  },
  {
    name: "fewer zones than minDomains, the minimum is 0",
    nodes: [inZone("a", "1", 1), inZone("b", "2", 1)],
    pod: spread(over("zone", { minDomains: 3 })),
    expect: { a: uneven, b: uneven },
  },
  {
    name: "a Pod that its own selector does not match, the Pod does not add to the skew",
    nodes: two,
    pod: labelled({ app: "other" }, { topologySpreadConstraints: [over("zone")] }),
    expect: { a: "", b: "" },
  },
  {
    name: "Pods of other namespaces and terminating Pods are not counted",
    nodes: [
      nodeWith("a", { labels: { zone: "1" } }, [
        podWith({}, { labels: web, namespace: "other" }),
        podWith({}, { labels: web, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      ]),
      inZone("b", "2", 0),
    ],
    pod: spread(over("zone")),
    expect: { a: "", b: "" },
  },
  {
    name: "zones that the Pod's node affinity excludes are not counted",
    nodes: [...two, inZone("c", "3", 0)],
    pod: { ...spread(over("zone")), spec: { ...spread(over("zone")).spec!, nodeSelector: { "kubernetes.io/hostname": "b" } } },
    expect: { a: "", b: "", c: "" },
  },
  {
    name: "zones that the Pod's node affinity excludes are counted with nodeAffinityPolicy Ignore",
    nodes: [...two, inZone("c", "3", 0)],
    pod: {
      ...spread(),
      spec: { ...spread(over("zone", { nodeAffinityPolicy: "Ignore" })).spec!, nodeSelector: { "kubernetes.io/hostname": "b" } },
    },
    expect: { a: uneven, b: uneven, c: "" },
  },
  {
    name: "zones of nodes with taints that are not tolerated are not counted with nodeTaintsPolicy Honor",
    nodes: [...two, nodeWith("c", { labels: { zone: "3" }, taints: [{ key: "gpu", effect: "NoSchedule" }] })],
    pod: spread(over("zone", { nodeTaintsPolicy: "Honor" })),
    expect: { a: uneven, b: "", c: "" },
  },
  {
    name: "several constraints, a node must satisfy all of them",
    nodes: [inZone("a", "1", 2), inZone("b", "1", 0), inZone("c", "2", 1)],
    pod: spread(over("zone"), over("kubernetes.io/hostname")),
    expect: { a: uneven, b: uneven, c: uneven },
  },
  {
    name: "matchLabelKeys, only Pods of the same revision are counted",
    nodes: [nodeWith("a", { labels: { zone: "1" } }, pods(2, { ...web, rev: "1" })), inZone("b", "2", 0)],
    pod: labelled({ ...web, rev: "2" }, { topologySpreadConstraints: [over("zone", { matchLabelKeys: ["rev"] })] }),
    expect: { a: "", b: "" },
  },
  { name: "no constraint, Filter is skipped", nodes: two, pod: labelled(web), expect: "skip" },
  {
    name: "a ScheduleAnyway constraint, Filter is skipped",
    nodes: two,
    pod: spread(over("zone", { whenUnsatisfiable: "ScheduleAnyway" })),
    expect: "skip",
  },
];
for (const { name, nodes, pod, expect } of cases) test(name, () => assert.deepEqual(statuses(podTopologySpread, { nodes }, pod), expect));

test("RemovePod and AddPod change the counts of a cloned state, and not those of the original", () => {
  const nodes = [inZone("a", "1", 2), inZone("b", "2", 1)];
  const [a] = nodes;
  const plugin = podTopologySpread({}, handleOf({ nodes }));
  const state = createCycleState();
  const pod = newPodInfo(spread(over("zone")));
  plugin.preFilter?.(state, pod, snapshotOf(nodes));
  const thought = state.clone();
  plugin.removePod?.(thought, pod, a!.pods[0]!, a!);
  assert.equal(plugin.filter?.(thought, pod, a!), undefined);
  assert.deepEqual(plugin.filter?.(state, pod, a!)?.reasons, [uneven]);
  plugin.addPod?.(thought, pod, newPodInfo(labelled(web)), a!);
  assert.deepEqual(plugin.filter?.(thought, pod, a!)?.reasons, [uneven]);
});

test("counts are updated from one scheduling cycle to the next as Pods and nodes change", () => {
  const plugin = podTopologySpread({}, handleOf());
  const pod = newPodInfo(spread(over("zone")));
  const judge = (nodes: Scene["nodes"]) => {
    const state = createCycleState();
    plugin.preFilter?.(state, pod, snapshotOf(nodes));
    return nodes.map((node) => plugin.filter?.(state, pod, node) === undefined);
  };
  const a = inZone("a", "1", 1);
  const b = inZone("b", "2", 1);
  assert.deepEqual(judge([a, b]), [true, true]);
  a.add(newPodInfo(labelled(web)));
  a.generation++;
  assert.deepEqual(judge([a, b]), [false, true]);
  const c = inZone("c", "3", 0);
  assert.deepEqual(judge([c, a, b]), [true, false, false], "a node comes");
  assert.deepEqual(judge([b, a]), [true, false], "one goes, and the order is another");
  a.setNode(nodeNamed("a", { labels: { zone: "2" } }));
  a.generation++;
  assert.deepEqual(judge([b, a]), [true, true], "all are in one zone");
  assert.deepEqual(judge([newNodeInfo(nodeNamed("a", { labels: { zone: "1" } })), b]), [true, false], "a namesake takes its place");
});

const preferred = (key: string, maxSkew = 1) => over(key, { maxSkew, whenUnsatisfiable: "ScheduleAnyway" });
// A zone counts Pods × ln(zones + 2) + maxSkew - 1; the score is 100 × (most + least - own) / most.
const preferences: readonly { name: string; nodes: Scene["nodes"]; pod: Pod; expect: unknown; args?: Scene["args"] }[] = [
  // 5, 1 and 0 × ln 5 = 8, 2, 0
  {
    name: "a zone with fewer Pods scores higher",
    nodes: [inZone("a", "1", 5), inZone("b", "2", 1), inZone("c", "3", 0)],
    pod: spread(preferred("zone")),
    expect: [0, 75, 100],
  },
  // 11 × ln 4 + 1 and 1 × ln 4 + 1 = 16, 2
  {
    name: "a larger maxSkew, scores differ less",
    nodes: [inZone("a", "1", 11), inZone("b", "2", 1)],
    pod: spread(preferred("zone", 2)),
    expect: [12, 100],
  },
  {
    name: "no Pods, all nodes score 100",
    nodes: [inZone("a", "1", 0), inZone("b", "2", 0)],
    pod: spread(preferred("zone")),
    expect: [100, 100],
  },
  {
    name: "a node without the topology label scores 0",
    nodes: [inZone("a", "1", 3), nodeWith("b")],
    pod: spread(preferred("zone")),
    expect: [100, 0],
  },
  // 3 × ln 3 = 3 for both, and 3 × ln 4 = 4 or 0 for the node
  {
    name: "constraints on zones and on nodes, both are weighed",
    nodes: [inZone("a", "1", 3), inZone("b", "1", 0)],
    pod: spread(preferred("zone"), preferred("kubernetes.io/hostname")),
    expect: [42, 100],
  },
  { name: "no constraint, Score is skipped", nodes: [inZone("a", "1", 3)], pod: labelled(web), expect: "skip" },
  {
    name: "defaultConstraints of type List, the profile's constraints are used",
    args: { defaultingType: "List", defaultConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }] },
    nodes: [inZone("a", "1", 3), inZone("b", "2", 0)],
    pod: labelled(web),
    expect: [0, 100],
  },
];
const services = [{ metadata: { namespace: "default", name: "web" }, spec: { selector: web } }];
for (const { name, nodes, pod, expect, args = {} } of preferences)
  test(`Score: ${name}`, () => {
    const objects = args.defaultingType === "List" ? { services } : {};
    assert.deepEqual(scores(podTopologySpread, { nodes, args, objects }, pod), expect);
  });

const zone = (name: string, count: number) => nodeWith(name, { labels: { "topology.kubernetes.io/zone": name } }, pods(count));
const owned = (apiVersion: string, kind: string): Pod =>
  podWith({}, { labels: web, ownerReferences: [{ apiVersion, kind, name: "web", uid: "1", controller: true }] });
const selector = { matchLabels: web };
const meta = { namespace: "default", name: "web" };
const kin: readonly { name: string; objects: Scene["objects"]; pod: Pod; expect: unknown }[] = [
  { name: "a Service", objects: { services }, pod: labelled(web), expect: [50, 100] },
  {
    name: "a ReplicaSet",
    objects: { replicasets: [{ metadata: meta, spec: { selector } }] },
    pod: owned("apps/v1", "ReplicaSet"),
    expect: [50, 100],
  },
  {
    name: "a StatefulSet",
    objects: { statefulsets: [{ metadata: meta, spec: { selector } }] },
    pod: owned("apps/v1", "StatefulSet"),
    expect: [50, 100],
  },
  {
    name: "a ReplicationController",
    objects: { replicationcontrollers: [{ metadata: meta, spec: { selector: web } }] },
    pod: owned("v1", "ReplicationController"),
    expect: [50, 100],
  },
  { name: "no owner", objects: {}, pod: labelled(web), expect: "skip" },
  { name: "an owner of an unknown kind", objects: {}, pod: owned("example.com/v1", "Fleet"), expect: "skip" },
];
// 2 Pods: 2 × ln 4 + 2 for the node and 2 × ln 4 + 4 for the zone = 12; none: 6.
for (const { name, objects, pod, expect } of kin)
  test(`system default constraints, Pods of ${name}: ${expect === "skip" ? "Score is skipped" : "spread over zones and nodes"}`, () =>
    assert.deepEqual(scores(podTopologySpread, { nodes: [zone("a", 2), zone("b", 0)], ...(objects && { objects }) }, pod), expect));

const wrong: readonly { args: Record<string, unknown>; message: string }[] = [
  { args: { defaultingType: "Some" }, message: 'defaultingType: Unsupported value: "Some": supported values: "System", "List"' },
  { args: { defaultConstraints: [preferred("zone")] }, message: /Invalid value: "System": when .defaultConstraints are not empty/.source },
];
for (const { args, message } of wrong)
  test(`New rejects the arguments ${JSON.stringify(args)}`, () =>
    assert.throws(() => statuses(podTopologySpread, { nodes: [], args }, podWith()), new RegExp(message)));

const there = (labels: Record<string, string>): Pod => ({ ...labelled(labels), spec: { containers: [], nodeName: "a" } });
const events = [
  { name: "a Pod that the selector matches is deleted", what: ["AssignedPod", "delete"], before: there(web), expect: true },
  { name: "a Pod that the selector does not match is deleted", what: ["AssignedPod", "delete"], before: there({}), expect: false },
  { name: "a Pod that the selector matches is added", what: ["AssignedPod", "add"], after: there(web), expect: true },
  {
    name: "the labels of a Pod change so that the selector matches",
    what: ["AssignedPod", "updateLabels"],
    before: there({}),
    after: there(web),
    expect: true,
  },
  {
    name: "a label of a Pod that the selector does not name changes",
    what: ["AssignedPod", "updateLabels"],
    before: there(web),
    after: there({ ...web, more: "1" }),
    expect: false,
  },
  {
    name: "a node with the topology label is added",
    what: ["Node", "add"],
    after: nodeNamed("n", { labels: { zone: "1" } }),
    expect: true,
  },
  { name: "a node without the topology label is added", what: ["Node", "add"], after: nodeNamed("n"), expect: false },
  {
    name: "a node with the topology label is deleted",
    what: ["Node", "delete"],
    before: nodeNamed("n", { labels: { zone: "1" } }),
    expect: true,
  },
  {
    name: "the topology label of a node changes",
    what: ["Node", "updateLabels"],
    before: nodeNamed("n", { labels: { zone: "1" } }),
    after: nodeNamed("n", { labels: { zone: "2" } }),
    expect: true,
  },
  {
    name: "another label of a node changes",
    what: ["Node", "updateLabels"],
    before: nodeNamed("n"),
    after: nodeNamed("n", { labels: { disk: "ssd" } }),
    expect: false,
  },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: ${expect ? "the Pod is requeued" : "the Pod stays unschedulable"}`, () =>
    assert.equal(wakes(podTopologySpread, {}, { pod: spread(over("zone")), ...event }), expect));

test("the labels of a node change so that the Pod's node affinity excludes it, the Pod is requeued", () => {
  const constraint = over("zone");
  const pod = labelled(web, { topologySpreadConstraints: [constraint], nodeSelector: { disk: "ssd" } });
  const [before, after] = ["ssd", "hdd"].map((disk) => nodeNamed("n", { labels: { zone: "1", disk } }));
  assert.equal(wakes(podTopologySpread, {}, { what: ["Node", "updateLabels"], pod, before: before!, after: after! }), true);
});
