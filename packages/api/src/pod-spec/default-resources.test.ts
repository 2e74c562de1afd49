import assert from "node:assert/strict";
import { test } from "node:test";
import { DecodeReport, decodeInto, type KubeObject } from "@coxswain/machinery";
import { createResourceRegistry } from "../registry/registry.ts";
import { roundAmounts } from "./default-resources.ts";

const amounts = { "example.com/x": "100u" };
const resources = { limits: amounts, requests: amounts };
const container = { name: "c", image: "i", resources };
const registry = createResourceRegistry();

const cases = [
  { kind: "PersistentVolumeClaim", body: { spec: { resources }, status: { capacity: amounts, allocatedResources: amounts } } },
  { kind: "PersistentVolume", body: { spec: { capacity: amounts } } },
  { kind: "Node", body: { status: { capacity: amounts, allocatable: amounts } } },
  { kind: "Pod", body: { spec: { containers: [container], initContainers: [container], overhead: amounts } } },
  {
    kind: "Pod",
    body: { status: { allocatedResources: amounts, resources, containerStatuses: [{ name: "c", allocatedResources: amounts }] } },
  },
  { kind: "ResourceQuota", body: { spec: { hard: amounts }, status: { hard: amounts, used: amounts } } },
  { kind: "LimitRange", body: { spec: { limits: [{ type: "Container", max: amounts, default: amounts }] } } },
];
for (const { kind, body } of cases)
  test(`amounts of a ${kind} are whole thousandths: ${Object.keys(body)}`, () => {
    const definition = registry.byKind("", "v1", kind);
    assert.ok(definition);
    const object = structuredClone(body) as KubeObject;
    decodeInto(definition.type, object, new DecodeReport());
    definition.strategy.defaults?.(object);
    assert.ok(JSON.stringify(object).includes('"1m"'));
    assert.ok(!JSON.stringify(object).includes('"100u"'), JSON.stringify(object));
  });

test("what is finer than a thousandth is rounded away from zero", () => {
  const given = { a: "1n", b: "1000000001n", c: "-1u", d: "1e-9", e: "1m", f: "5Gi" };
  roundAmounts(given);
  assert.deepEqual(given, { a: "1m", b: "1001m", c: "-1m", d: "1e-3", e: "1m", f: "5Gi" });
});
