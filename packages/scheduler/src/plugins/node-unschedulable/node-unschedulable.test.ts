import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeNamed, nodeWith, podWith, statuses, wakes } from "../plugin-under-test.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";

const nodes = [nodeWith("open"), nodeWith("cordoned", { unschedulable: true })];
const tolerant = podWith({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] });

test("nothing new comes to a cordoned node", () =>
  assert.deepEqual(statuses(nodeUnschedulable, { nodes }, podWith()), { open: "", cordoned: "!node(s) were unschedulable" }));

test("but for Pods that tolerate it", () => assert.equal(statuses(nodeUnschedulable, { nodes }, tolerant), "skip"));

const open = nodeNamed("n");
const cordoned = nodeNamed("n", { unschedulable: true });
const events = [
  { name: "an open node comes", what: ["Node", "add"], after: open, expect: true },
  { name: "a cordoned node comes", what: ["Node", "add"], after: cordoned, expect: false },
  { name: "a node is uncordoned", what: ["Node", "updateTaints"], before: cordoned, after: open, expect: true },
  { name: "an open node changes its taints", what: ["Node", "updateTaints"], before: open, after: open, expect: false },
  { name: "a node changes its labels", what: ["Node", "updateLabels"], before: cordoned, after: open, expect: false },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: the Pod ${expect ? "is tried again" : "waits on"}`, () =>
    assert.equal(wakes(nodeUnschedulable, {}, { pod: podWith(), ...event }), expect));

test("its own new toleration lets a Pod try again", () => {
  const waiting = podWith();
  const after = { ...waiting, spec: { ...waiting.spec, containers: [], tolerations: tolerant.spec!.tolerations! } };
  const what = ["UnscheduledPod", "updateTolerations"] as const;
  assert.equal(wakes(nodeUnschedulable, {}, { what, pod: waiting, before: waiting, after }), true);
  assert.equal(wakes(nodeUnschedulable, {}, { what, pod: waiting, before: waiting, after: waiting }), false);
});
