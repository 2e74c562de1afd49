import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeWith, podWith, statuses, wakes } from "../plugin-under-test.ts";
import { nodePorts } from "./node-ports.ts";

const podOn = (hostPort: number, hostIP?: string, protocol = "TCP") =>
  podWith({
    containers: [{ name: "main", ports: [{ containerPort: 80, hostPort, protocol, ...(hostIP === undefined ? {} : { hostIP }) }] }],
  });

const taken = "node(s) didn't have free ports for the requested pod ports";
const cases = [
  { wants: "another port", pod: podOn(81), expect: "" },
  { wants: "the port", pod: podOn(80), expect: taken },
  { wants: "the port of an address", pod: podOn(80, "10.0.0.1"), expect: taken },
  { wants: "the port for another protocol", pod: podOn(80, undefined, "UDP"), expect: "" },
];
for (const { wants, pod, expect } of cases)
  test(`a node with a host port in use, a Pod that requests ${wants}: the node is ${expect === "" ? "feasible" : "rejected"}`, () => {
    assert.deepEqual(statuses(nodePorts, { nodes: [nodeWith("a", {}, [podOn(80)]), nodeWith("b")] }, pod), { a: expect, b: "" });
  });

test("the same host port on two host IPs, the node is feasible", () => {
  const nodes = [nodeWith("a", {}, [podOn(80, "10.0.0.1")])];
  assert.deepEqual(statuses(nodePorts, { nodes }, podOn(80, "10.0.0.2")), { a: "" });
  assert.deepEqual(statuses(nodePorts, { nodes }, podOn(80)), { a: taken });
});

test("a Pod without host ports, Filter is skipped", () => assert.equal(statuses(nodePorts, { nodes: [] }, podWith()), "skip"));

test("a Pod is deleted, only Pods that request its host port are requeued", () => {
  const what = ["AssignedPod", "delete"] as const;
  assert.equal(wakes(nodePorts, {}, { what, pod: podOn(80), before: podOn(80) }), true);
  assert.equal(wakes(nodePorts, {}, { what, pod: podOn(80), before: podOn(81) }), false);
  assert.equal(wakes(nodePorts, {}, { what, pod: podOn(80), before: podWith() }), false);
});
