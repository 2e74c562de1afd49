import assert from "node:assert/strict";
import { test } from "node:test";
import { createCycleState } from "../../framework/cycle-state.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { labelled, nodeNamed, nodeWith, podWith, type Scene, scores, statuses, wakes } from "../plugin-under-test.ts";
import { handleOf, snapshotOf } from "../volumes/objects-under-test.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";

type Affinity = NonNullable<NonNullable<Pod["spec"]>["affinity"]>;
type Term = NonNullable<NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]>[number];

const near = (labels: Record<string, string>, more: Partial<Term> = {}): Term => ({
  labelSelector: { matchLabels: labels },
  topologyKey: "zone",
  ...more,
});
const liking = (...terms: Term[]): Affinity => ({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } });
const shunning = (...terms: Term[]): Affinity => ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } });
const weighed = (terms: readonly [number, Term][]) => ({
  preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, podAffinityTerm]) => ({ weight, podAffinityTerm })),
});
const preferring = (...terms: [number, Term][]): Affinity => ({ podAffinity: weighed(terms) });
const avoiding = (...terms: [number, Term][]): Affinity => ({ podAntiAffinity: weighed(terms) });

const web = { app: "web" };
const db = { app: "db" };
const pod = (labels: Record<string, string>, affinity?: Affinity): Pod => labelled(labels, affinity && { affinity });
const inZone = (name: string, zone: string, ...pods: Pod[]) => nodeWith(name, { labels: { zone } }, pods);
const elsewhere = podWith({}, { labels: db, namespace: "other" });

const noAffinity = "!node(s) didn't match pod affinity rules";
const badCompany = "node(s) didn't match pod anti-affinity rules";
const unwelcome = "node(s) didn't satisfy existing pods anti-affinity rules";

const dbIn1 = [inZone("a", "1", pod(db)), inZone("b", "1"), inZone("c", "2"), nodeWith("d")];
const namespaces = [{ metadata: { name: "default" } }, { metadata: { name: "other", labels: { team: "x" } } }];

const cases: readonly { name: string; nodes?: Scene["nodes"]; pod: Pod; expect: unknown }[] = [
  {
    name: "required affinity: zones that have a matching Pod are feasible",
    pod: pod(web, liking(near(db))),
    expect: { a: "", b: "", c: noAffinity, d: noAffinity },
  },
  {
    name: "required anti-affinity: zones that have no matching Pod are feasible",
    pod: pod(web, shunning(near(db))),
    expect: { a: badCompany, b: badCompany, c: "", d: "" },
  },
  {
    name: "required anti-affinity by hostname: nodes that have no matching Pod are feasible",
    pod: pod(web, shunning(near(db, { topologyKey: "kubernetes.io/hostname" }))),
    expect: { a: badCompany, b: "", c: "", d: "" },
  },
  {
    name: "required affinity that no Pod matches: no node is feasible",
    pod: pod(web, liking(near({ app: "none" }))),
    expect: { a: noAffinity, b: noAffinity, c: noAffinity, d: noAffinity },
  },
  {
    name: "required affinity that only the Pod itself matches: all nodes with the topology label are feasible",
    pod: pod(web, liking(near(web))),
    expect: { a: "", b: "", c: "", d: noAffinity },
  },
  {
    name: "required affinity of two terms: one Pod must match both",
    nodes: [inZone("a", "1", pod({ ...db, tier: "1" })), inZone("b", "2", pod(db), pod({ tier: "1" }))],
    pod: pod(web, liking(near(db), near({ tier: "1" }))),
    expect: { a: "", b: noAffinity },
  },
  {
    name: "anti-affinity of an existing Pod that matches it: the zone of that Pod is rejected",
    nodes: [inZone("a", "1", pod(db, shunning(near(web)))), inZone("b", "1"), inZone("c", "2"), nodeWith("d")],
    pod: pod(web),
    expect: { a: unwelcome, b: unwelcome, c: "", d: "" },
  },
  {
    name: "no terms of its own, and no existing Pod with anti-affinity: Filter is skipped",
    nodes: [inZone("a", "1", pod(db, shunning(near({ app: "x" }))))],
    pod: pod(web),
    expect: "skip",
  },
  {
    name: "a term without namespaces: Pods of its own namespace match",
    nodes: [inZone("a", "1", elsewhere)],
    pod: pod(web, shunning(near(db))),
    expect: { a: "" },
  },
  {
    name: "a term with namespaces: Pods of these namespaces match",
    nodes: [inZone("a", "1", elsewhere)],
    pod: pod(web, shunning(near(db, { namespaces: ["other"] }))),
    expect: { a: badCompany },
  },
  {
    name: "a term with a namespaceSelector: Pods of the selected namespaces match",
    nodes: [inZone("a", "1", elsewhere), inZone("b", "2", pod(db))],
    pod: pod(web, shunning(near(db, { namespaceSelector: { matchLabels: { team: "x" } } }))),
    expect: { a: badCompany, b: "" },
  },
  {
    name: "a term with an empty namespaceSelector: Pods of all namespaces match",
    nodes: [inZone("a", "1", elsewhere), inZone("b", "2", pod(db))],
    pod: pod(web, shunning(near(db, { namespaceSelector: {} }))),
    expect: { a: badCompany, b: badCompany },
  },
  {
    name: "anti-affinity of an existing Pod with a namespaceSelector that selects its namespace: the zone is rejected",
    nodes: [
      inZone("a", "1", pod(db, shunning(near(web, { namespaceSelector: { matchLabels: { team: "x" } } })))),
      inZone("b", "2", pod(db, shunning(near(web, { namespaceSelector: {} })))),
    ],
    pod: pod(web),
    expect: { a: "", b: unwelcome },
  },
  {
    name: "a term without a labelSelector: no Pod matches",
    nodes: [inZone("a", "1", pod(db))],
    pod: pod(web, shunning({ topologyKey: "zone" })),
    expect: { a: "" },
  },
];
for (const { name, nodes = dbIn1, pod: asking, expect } of cases)
  test(`a Pod with ${name}`, () => assert.deepEqual(statuses(interPodAffinity, { nodes, objects: { namespaces } }, asking), expect));

test("RemovePod and AddPod change the counts of a cloned state, and not those of the original", () => {
  const hostile = pod(db, shunning(near(web)));
  const nodes = [inZone("a", "1", hostile)];
  const [a] = nodes;
  const plugin = interPodAffinity({}, handleOf({ nodes }));
  const state = createCycleState();
  const info = newPodInfo(pod(web, { ...shunning(near(db)), ...liking(near(web)) }));
  plugin.preFilter?.(state, info, snapshotOf(nodes));
  const thought = state.clone();
  plugin.removePod?.(thought, info, a!.pods[0]!, a!);
  assert.equal(plugin.filter?.(thought, info, a!), undefined);
  assert.deepEqual(plugin.filter?.(state, info, a!)?.reasons, [badCompany]);
  plugin.addPod?.(thought, info, newPodInfo(pod({}, shunning(near(web)))), a!);
  assert.deepEqual(plugin.filter?.(thought, info, a!)?.reasons, [unwelcome]);
});

const crowd = [inZone("a", "1", pod(db), pod(db)), inZone("b", "2", pod(db)), inZone("c", "3")];
const preferences: readonly { name: string; nodes?: Scene["nodes"]; pod: Pod; expect: unknown; args?: Scene["args"] }[] = [
  {
    name: "preferred affinity: nodes of zones with more matching Pods score higher",
    pod: pod(web, preferring([10, near(db)])),
    expect: [100, 50, 0],
  },
  {
    name: "preferred anti-affinity: nodes of zones with fewer matching Pods score higher",
    pod: pod(web, avoiding([10, near(db)])),
    expect: [0, 50, 100],
  },
  {
    name: "preferred affinity and anti-affinity: the weights are added up",
    pod: pod(web, { ...preferring([10, near(db)]), ...avoiding([30, near(db)]) }),
    expect: [0, 50, 100],
  },
  { name: "preferred affinity that no Pod matches: Score is skipped", pod: pod(web, preferring([10, near({ app: "x" })])), expect: "skip" },
  { name: "no terms, among Pods without terms: Score is skipped", pod: pod(web), expect: "skip" },
  {
    name: "no terms, preferred affinity of an existing Pod matches it: the zone scores higher",
    nodes: [inZone("a", "1", pod(db, preferring([5, near(web)]))), inZone("b", "2")],
    pod: pod(web),
    expect: [100, 0],
  },
  {
    name: "no terms, preferred anti-affinity of an existing Pod matches it: the zone scores lower",
    nodes: [inZone("a", "1", pod(db, avoiding([5, near(web)]))), inZone("b", "2")],
    pod: pod(web),
    expect: [0, 100],
  },
  {
    name: "no terms, required affinity of an existing Pod matches it: the zone scores higher",
    nodes: [inZone("a", "1", pod(db, liking(near(web)))), inZone("b", "2")],
    pod: pod(web),
    expect: [100, 0],
  },
  {
    name: "no terms, required affinity of an existing Pod matches it with hardPodAffinityWeight 0: Score is skipped",
    args: { hardPodAffinityWeight: 0 },
    nodes: [inZone("a", "1", pod(db, liking(near(web)))), inZone("b", "2")],
    pod: pod(web),
    expect: "skip",
  },
  {
    name: "no terms, with ignorePreferredTermsOfExistingPods: Score is skipped",
    args: { ignorePreferredTermsOfExistingPods: true },
    nodes: [inZone("a", "1", pod(db, preferring([5, near(web)]))), inZone("b", "2")],
    pod: pod(web),
    expect: "skip",
  },
];
for (const { name, nodes = crowd, pod: asking, expect, args = {} } of preferences)
  test(`a Pod with ${name}`, () => assert.deepEqual(scores(interPodAffinity, { nodes, args }, asking), expect));

test("New rejects a hardPodAffinityWeight out of range", () => {
  const message = "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]";
  assert.throws(() => statuses(interPodAffinity, { nodes: [], args: { hardPodAffinityWeight: 101 } }, podWith()), { message });
});

const there = (labels: Record<string, string>, affinity?: Affinity): Pod => ({
  ...pod(labels),
  spec: { containers: [], nodeName: "a", ...(affinity && { affinity }) },
});
const zoned = nodeNamed("n", { labels: { zone: "1" } });
const withAffinity = pod(web, liking(near(db)));
const withAntiAffinity = pod(web, shunning(near(db)));
const events = [
  { name: "a Pod that the affinity matches is added", pod: withAffinity, what: ["AssignedPod", "add"], after: there(db), expect: true },
  {
    name: "a Pod that the affinity does not match is added",
    pod: withAffinity,
    what: ["AssignedPod", "add"],
    after: there({}),
    expect: false,
  },
  {
    name: "the labels of a Pod change so that the affinity matches",
    pod: withAffinity,
    what: ["AssignedPod", "updateLabels"],
    before: there({}),
    after: there(db),
    expect: true,
  },
  {
    name: "a Pod that the anti-affinity matches is deleted",
    pod: withAntiAffinity,
    what: ["AssignedPod", "delete"],
    before: there(db),
    expect: true,
  },
  {
    name: "the labels of a Pod change so that the anti-affinity no longer matches",
    pod: withAntiAffinity,
    what: ["AssignedPod", "updateLabels"],
    before: there(db),
    after: there({}),
    expect: true,
  },
  {
    name: "a Pod that the anti-affinity does not match is deleted",
    pod: withAntiAffinity,
    what: ["AssignedPod", "delete"],
    before: there({}),
    expect: false,
  },
  {
    name: "a Pod whose anti-affinity matches is deleted",
    pod: pod(web),
    what: ["AssignedPod", "delete"],
    before: there({}, shunning(near(web))),
    expect: true,
  },
  {
    name: "the last Pod that the affinity of a self-matching Pod matches is deleted",
    pod: pod(web, liking(near(web))),
    what: ["AssignedPod", "delete"],
    before: there(web),
    expect: true,
  },
  {
    name: "a Pod that the affinity matches is deleted",
    pod: withAffinity,
    what: ["AssignedPod", "delete"],
    before: there(db),
    expect: false,
  },
  { name: "a node with the topology label is added", pod: withAffinity, what: ["Node", "add"], after: zoned, expect: true },
  { name: "a node without the topology label is added", pod: withAffinity, what: ["Node", "add"], after: nodeNamed("n"), expect: false },
  {
    name: "a node is added, for a Pod with anti-affinity",
    pod: withAntiAffinity,
    what: ["Node", "add"],
    after: nodeNamed("n"),
    expect: true,
  },
  {
    name: "a node is added, for a Pod that the anti-affinity of others matches",
    pod: pod(web),
    what: ["Node", "add"],
    after: nodeNamed("n"),
    expect: true,
  },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: ${expect ? "the Pod is requeued" : "the Pod stays unschedulable"}`, () =>
    assert.equal(wakes(interPodAffinity, {}, event), expect));
