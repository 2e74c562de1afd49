import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../framework/pod-info.ts";
import { nodeNamed, nodeWith, podWith, scores, statuses, wakes } from "../plugin-under-test.ts";
import { nodeAffinity } from "./node-affinity.ts";

type Affinity = NonNullable<NonNullable<NonNullable<Pod["spec"]>["affinity"]>["nodeAffinity"]>;

const label = (key: string, ...values: string[]) => ({ matchExpressions: [{ key, operator: "In", values }] });
const named = (...values: string[]) => ({ matchFields: [{ key: "metadata.name", operator: "In", values }] });
const requiring = (...terms: object[]): Pod =>
  podWith({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } });
const preferring = (...terms: [weight: number, term: object][]): Pod =>
  podWith({
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, preference]) => ({ weight, preference })) },
    },
  });

const nodes = [nodeWith("a", { labels: { disk: "ssd", zone: "1" } }), nodeWith("b", { labels: { disk: "hdd" } })];
const refused = "!node(s) didn't match Pod's node affinity/selector";

const cases = [
  { name: "nothing", pod: podWith(), expect: "skip" },
  { name: "a node selector", pod: podWith({ nodeSelector: { disk: "ssd" } }), expect: { a: "", b: refused } },
  { name: "a term", pod: requiring(label("disk", "hdd")), expect: { a: refused, b: "" } },
  { name: "one of two terms", pod: requiring(label("disk", "hdd"), label("zone", "1")), expect: { a: "", b: "" } },
  { name: "a node by name: only that node is filtered", pod: requiring(named("b")), expect: { b: "" } },
  { name: "a node by name, and a label that it lacks", pod: requiring({ ...named("b"), ...label("disk", "ssd") }), expect: { b: refused } },
  { name: "a name or a label: all nodes are filtered", pod: requiring(named("b"), label("zone", "1")), expect: { a: "", b: "" } },
  {
    name: "two names of one node",
    pod: requiring({ matchFields: [...named("a").matchFields, ...named("b").matchFields] }),
    expect: "!pod affinity terms conflict",
  },
  { name: "no terms at all", pod: requiring(), expect: { a: refused, b: refused } },
];
for (const { name, pod, expect } of cases) test(`requires ${name}`, () => assert.deepEqual(statuses(nodeAffinity, { nodes }, pod), expect));

test("weights of preferred terms are added up, and the best node scores 100", () => {
  const pod = preferring([40, label("disk", "ssd")], [20, label("disk", "hdd")], [20, label("zone", "1")]);
  assert.deepEqual(scores(nodeAffinity, { nodes }, pod), [100, 33]);
});
test("a Pod without preferred terms, Score is skipped", () =>
  assert.equal(scores(nodeAffinity, { nodes }, requiring(label("zone", "1"))), "skip"));
test("a Pod whose preferred term is empty, Score is skipped", () =>
  assert.equal(scores(nodeAffinity, { nodes }, preferring([5, {}])), "skip"));

const addedAffinity: Affinity = {
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [label("disk", "ssd")] },
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: label("zone", "1") }],
};
test("addedAffinity of the profile, it holds for each Pod", () => {
  const scene = { nodes, args: { addedAffinity } };
  assert.deepEqual(statuses(nodeAffinity, scene, podWith()), { a: "", b: "!node(s) didn't match scheduler-enforced node affinity" });
  assert.deepEqual(scores(nodeAffinity, scene, podWith()), [100, 0]);
});

test("New rejects an addedAffinity that cannot be parsed", () => {
  const term = { matchExpressions: [{ key: "disk", operator: "Like", values: ["s"] }] };
  const args = { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
  const path = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator";
  assert.throws(() => statuses(nodeAffinity, { nodes, args }, podWith()), {
    message: `${path}: Unsupported value: "Like": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`,
  });
});

const ssd = nodeNamed("n", { labels: { disk: "ssd" } });
const hdd = nodeNamed("n", { labels: { disk: "hdd" } });
const events = [
  { name: "a matching node is added", after: ssd, expect: true },
  { name: "a node that does not match is added", after: hdd, expect: false },
  { name: "the labels of a node change so that it matches", before: hdd, after: ssd, expect: true },
  { name: "a node that matched before is updated", before: ssd, after: ssd, expect: false },
];
for (const { name, expect, ...event } of events)
  test(`${name}: ${expect ? "the Pod is requeued" : "the Pod stays unschedulable"}`, () => {
    const what = ["Node", event.before === undefined ? "add" : "updateLabels"] as const;
    assert.equal(wakes(nodeAffinity, {}, { what, pod: podWith({ nodeSelector: { disk: "ssd" } }), ...event }), expect);
  });
