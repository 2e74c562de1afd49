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

const noCompany = "!node(s) didn't match pod affinity rules";
const badCompany = "node(s) didn't match pod anti-affinity rules";
const unwelcome = "node(s) didn't satisfy existing pods anti-affinity rules";

const dbIn1 = [inZone("a", "1", pod(db)), inZone("b", "1"), inZone("c", "2"), nodeWith("d")];
const namespaces = [{ metadata: { name: "default" } }, { metadata: { name: "other", labels: { team: "x" } } }];

const cases: readonly { name: string; nodes?: Scene["nodes"]; pod: Pod; expect: unknown }[] = [
  { name: "goes to a zone where the other is", pod: pod(web, liking(near(db))), expect: { a: "", b: "", c: noCompany, d: noCompany } },
  {
    name: "goes to a zone where the other is not",
    pod: pod(web, shunning(near(db))),
    expect: { a: badCompany, b: badCompany, c: "", d: "" },
  },
  {
    name: "goes to another node than the other's",
    pod: pod(web, shunning(near(db, { topologyKey: "kubernetes.io/hostname" }))),
    expect: { a: badCompany, b: "", c: "", d: "" },
  },
  {
    name: "finds no company where nobody is who is meant",
    pod: pod(web, liking(near({ app: "none" }))),
    expect: { a: noCompany, b: noCompany, c: noCompany, d: noCompany },
  },
  {
    name: "as the first of its own sort goes anywhere that has the label",
    pod: pod(web, liking(near(web))),
    expect: { a: "", b: "", c: "", d: noCompany },
  },
  {
    name: "finds one Pod that all its terms mean, not one for each",
    nodes: [inZone("a", "1", pod({ ...db, tier: "1" })), inZone("b", "2", pod(db), pod({ tier: "1" }))],
    pod: pod(web, liking(near(db), near({ tier: "1" }))),
    expect: { a: "", b: noCompany },
  },
  {
    name: "is kept away by who shuns it",
    nodes: [inZone("a", "1", pod(db, shunning(near(web)))), inZone("b", "1"), inZone("c", "2"), nodeWith("d")],
    pod: pod(web),
    expect: { a: unwelcome, b: unwelcome, c: "", d: "" },
  },
  {
    name: "is not asked about while nobody shuns it",
    nodes: [inZone("a", "1", pod(db, shunning(near({ app: "x" }))))],
    pod: pod(web),
    expect: "skip",
  },
  { name: "means its own namespace", nodes: [inZone("a", "1", elsewhere)], pod: pod(web, shunning(near(db))), expect: { a: "" } },
  {
    name: "means namespaces by name",
    nodes: [inZone("a", "1", elsewhere)],
    pod: pod(web, shunning(near(db, { namespaces: ["other"] }))),
    expect: { a: badCompany },
  },
  {
    name: "means namespaces by labels",
    nodes: [inZone("a", "1", elsewhere), inZone("b", "2", pod(db))],
    pod: pod(web, shunning(near(db, { namespaceSelector: { matchLabels: { team: "x" } } }))),
    expect: { a: badCompany, b: "" },
  },
  {
    name: "means all namespaces",
    nodes: [inZone("a", "1", elsewhere), inZone("b", "2", pod(db))],
    pod: pod(web, shunning(near(db, { namespaceSelector: {} }))),
    expect: { a: badCompany, b: badCompany },
  },
  {
    name: "is shunned by who chooses its namespace by labels",
    nodes: [
      inZone("a", "1", pod(db, shunning(near(web, { namespaceSelector: { matchLabels: { team: "x" } } })))),
      inZone("b", "2", pod(db, shunning(near(web, { namespaceSelector: {} })))),
    ],
    pod: pod(web),
    expect: { a: "", b: unwelcome },
  },
  {
    name: "means nobody without a selector",
    nodes: [inZone("a", "1", pod(db))],
    pod: pod(web, shunning({ topologyKey: "zone" })),
    expect: { a: "" },
  },
];
for (const { name, nodes = dbIn1, pod: asking, expect } of cases)
  test(`a Pod ${name}`, () => assert.deepEqual(statuses(interPodAffinity, { nodes, objects: { namespaces } }, asking), expect));

test("preemption thinks of Pods as gone, and leaves what is true alone", () => {
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
  { name: "company, the more the better", pod: pod(web, preferring([10, near(db)])), expect: [100, 50, 0] },
  { name: "solitude", pod: pod(web, avoiding([10, near(db)])), expect: [0, 50, 100] },
  { name: "both, weighed", pod: pod(web, { ...preferring([10, near(db)]), ...avoiding([30, near(db)]) }), expect: [0, 50, 100] },
  { name: "company that is nowhere", pod: pod(web, preferring([10, near({ app: "x" })])), expect: "skip" },
  { name: "nothing, among others who do not either", pod: pod(web), expect: "skip" },
  {
    name: "nothing, where others want it",
    nodes: [inZone("a", "1", pod(db, preferring([5, near(web)]))), inZone("b", "2")],
    pod: pod(web),
    expect: [100, 0],
  },
  {
    name: "nothing, where others would rather not",
    nodes: [inZone("a", "1", pod(db, avoiding([5, near(web)]))), inZone("b", "2")],
    pod: pod(web),
    expect: [0, 100],
  },
  {
    name: "nothing, where others need it",
    nodes: [inZone("a", "1", pod(db, liking(near(web)))), inZone("b", "2")],
    pod: pod(web),
    expect: [100, 0],
  },
  {
    name: "nothing, where others need it, which weighs nothing",
    args: { hardPodAffinityWeight: 0 },
    nodes: [inZone("a", "1", pod(db, liking(near(web)))), inZone("b", "2")],
    pod: pod(web),
    expect: "skip",
  },
  {
    name: "nothing, and others do not count",
    args: { ignorePreferredTermsOfExistingPods: true },
    nodes: [inZone("a", "1", pod(db, preferring([5, near(web)]))), inZone("b", "2")],
    pod: pod(web),
    expect: "skip",
  },
];
for (const { name, nodes = crowd, pod: asking, expect, args = {} } of preferences)
  test(`a Pod that prefers ${name}`, () => assert.deepEqual(scores(interPodAffinity, { nodes, args }, asking), expect));

test("a weight out of range is refused", () => {
  const message = "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]";
  assert.throws(() => statuses(interPodAffinity, { nodes: [], args: { hardPodAffinityWeight: 101 } }, podWith()), { message });
});

const there = (labels: Record<string, string>, affinity?: Affinity): Pod => ({
  ...pod(labels),
  spec: { containers: [], nodeName: "a", ...(affinity && { affinity }) },
});
const zoned = nodeNamed("n", { labels: { zone: "1" } });
const wanting = pod(web, liking(near(db)));
const refusing = pod(web, shunning(near(db)));
const events = [
  { name: "company comes", pod: wanting, what: ["AssignedPod", "add"], after: there(db), expect: true },
  { name: "somebody else comes", pod: wanting, what: ["AssignedPod", "add"], after: there({}), expect: false },
  {
    name: "somebody becomes company",
    pod: wanting,
    what: ["AssignedPod", "updateLabels"],
    before: there({}),
    after: there(db),
    expect: true,
  },
  { name: "who is shunned goes", pod: refusing, what: ["AssignedPod", "delete"], before: there(db), expect: true },
  {
    name: "who is shunned changes",
    pod: refusing,
    what: ["AssignedPod", "updateLabels"],
    before: there(db),
    after: there({}),
    expect: true,
  },
  { name: "somebody else goes", pod: refusing, what: ["AssignedPod", "delete"], before: there({}), expect: false },
  { name: "who shuns it goes", pod: pod(web), what: ["AssignedPod", "delete"], before: there({}, shunning(near(web))), expect: true },
  {
    name: "the last of its own sort goes",
    pod: pod(web, liking(near(web))),
    what: ["AssignedPod", "delete"],
    before: there(web),
    expect: true,
  },
  { name: "company goes", pod: wanting, what: ["AssignedPod", "delete"], before: there(db), expect: false },
  { name: "a node with the label comes", pod: wanting, what: ["Node", "add"], after: zoned, expect: true },
  { name: "a node without comes", pod: wanting, what: ["Node", "add"], after: nodeNamed("n"), expect: false },
  { name: "any node comes for who shuns", pod: refusing, what: ["Node", "add"], after: nodeNamed("n"), expect: true },
  { name: "any node comes for who is shunned", pod: pod(web), what: ["Node", "add"], after: nodeNamed("n"), expect: true },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: the Pod ${expect ? "is tried again" : "waits on"}`, () => assert.equal(wakes(interPodAffinity, {}, event), expect));
