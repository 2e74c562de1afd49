import assert from "node:assert/strict";
import { test } from "node:test";
import type * as coreV1 from "@coxswain/types/core-v1";
import { requiredNodes } from "./node-affinity.ts";
import { isRepelled, tolerates } from "./taints.ts";

const taint = { key: "disk", value: "ssd", effect: "NoSchedule" };

const tolerations: readonly { toleration: coreV1.Toleration; expect: boolean }[] = [
  { toleration: { key: "disk", value: "ssd" }, expect: true },
  { toleration: { key: "disk", operator: "Equal", value: "ssd", effect: "NoSchedule" }, expect: true },
  { toleration: { key: "disk", operator: "Equal", value: "hdd" }, expect: false },
  { toleration: { key: "disk", operator: "Exists" }, expect: true },
  { toleration: { operator: "Exists" }, expect: true },
  { toleration: { operator: "Exists", effect: "NoExecute" }, expect: false },
  { toleration: { key: "other", operator: "Exists" }, expect: false },
  { toleration: { key: "disk", operator: "Gt", value: "1" }, expect: false },
];

for (const { toleration, expect } of tolerations)
  test(`${JSON.stringify(toleration)} ${expect ? "tolerates" : "does not tolerate"} disk=ssd:NoSchedule`, () =>
    assert.equal(tolerates(toleration, taint), expect));

test("only effects that are asked for repel", () => {
  assert.equal(isRepelled([taint], [], ["NoSchedule", "NoExecute"]), true);
  assert.equal(isRepelled([taint], undefined, ["NoExecute"]), false);
  assert.equal(isRepelled([taint], [{ operator: "Exists" }], ["NoSchedule"]), false);
  assert.equal(isRepelled(undefined, [], ["NoSchedule"]), false);
});

const node = { metadata: { name: "one", labels: { zone: "a", cpus: "8" } } };
const expression = (key: string, operator: string, ...values: string[]) => ({ matchExpressions: [{ key, operator, values }] });
const field = (key: string, operator: string, ...values: string[]) => ({ matchFields: [{ key, operator, values }] });

const terms: readonly { terms: readonly coreV1.NodeSelectorTerm[]; expect: boolean }[] = [
  { terms: [expression("zone", "In", "a", "b")], expect: true },
  { terms: [expression("zone", "NotIn", "a")], expect: false },
  { terms: [expression("zone", "NotIn", "b"), expression("zone", "In", "c")], expect: true },
  { terms: [expression("gpu", "Exists")], expect: false },
  { terms: [expression("gpu", "DoesNotExist")], expect: true },
  { terms: [expression("cpus", "Gt", "4")], expect: true },
  { terms: [expression("cpus", "Lt", "4")], expect: false },
  { terms: [expression("cpus", "Gt", "many")], expect: false },
  { terms: [expression("zone", "Like", "a")], expect: false },
  { terms: [{}], expect: false },
  { terms: [], expect: false },
  { terms: [{}, expression("zone", "Exists")], expect: true },
  { terms: [field("metadata.name", "In", "one")], expect: true },
  { terms: [field("metadata.name", "In", "one", "two")], expect: false },
  { terms: [field("metadata.name", "NotIn", "one")], expect: false },
  { terms: [field("metadata.uid", "In", "one")], expect: false },
  { terms: [{ ...expression("zone", "In", "a"), ...field("metadata.name", "In", "two") }], expect: false },
];

for (const { terms: nodeSelectorTerms, expect } of terms)
  test(`${JSON.stringify(nodeSelectorTerms)} ${expect ? "chooses" : "does not choose"} the node`, () => {
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...nodeSelectorTerms] } } };
    assert.equal(requiredNodes({ affinity })(node), expect);
  });

test("a node selector must hold too", () => {
  assert.equal(requiredNodes({ nodeSelector: { zone: "a" } })(node), true);
  assert.equal(requiredNodes({ nodeSelector: { zone: "b" } })(node), false);
  assert.equal(requiredNodes({})(node), true);
});
