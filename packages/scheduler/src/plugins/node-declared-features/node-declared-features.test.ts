import assert from "node:assert/strict";
import { test } from "node:test";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { nodeNamed, nodeWith, podWith, statuses, wakes } from "../plugin-under-test.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";

const able = { ...nodeNamed("able"), status: { declaredFeatures: ["RestartAllContainersOnContainerExits"] } };
const nodes = [nodeWith("plain"), newNodeInfo(able)];
const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } };
const needing = podWith({ containers: [{ name: "main", restartPolicy: "Never", restartPolicyRules: [rule] }] });

test("a Pod that needs a feature, only nodes that declare it are feasible", () =>
  assert.deepEqual(statuses(nodeDeclaredFeatures, { nodes }, needing), {
    plain: "!node(s) didn't match Pod's required features",
    able: "",
  }));

test("a Pod that needs no feature, Filter is skipped", () => assert.equal(statuses(nodeDeclaredFeatures, { nodes }, podWith()), "skip"));

test("a Pod is requeued when a node declares another feature, and by no other change", () => {
  const what = ["Node", "update"] as const;
  assert.equal(wakes(nodeDeclaredFeatures, {}, { what, pod: needing, before: nodeNamed("able"), after: able }), true);
  assert.equal(wakes(nodeDeclaredFeatures, {}, { what, pod: needing, before: able, after: able }), false);
});
