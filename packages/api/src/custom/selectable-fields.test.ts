import assert from "node:assert/strict";
import { test } from "node:test";
import { selectableFieldsOf } from "./selectable-fields.ts";

const cases: readonly { path: string; name: string; value: string; spec: Record<string, unknown> }[] = [
  { path: ".spec.color", name: "spec.color", value: "red", spec: { color: "red" } },
  { path: ".spec.size", name: "spec.size", value: "3", spec: { size: 3 } },
  { path: ".spec.size", name: "spec.size", value: "9007199254740993", spec: { size: 9007199254740993n } },
  { path: ".spec.open", name: "spec.open", value: "false", spec: { open: false } },
  { path: ".spec.color", name: "spec.color", value: "", spec: {} },
  { path: ".spec.color", name: "spec.color", value: "", spec: { color: null } },
  { path: ".spec.deep.color", name: "spec.deep.color", value: "", spec: { deep: "flat" } },
];
for (const { path, name, value, spec } of cases) {
  test(`${path} of ${Object.values(spec).map(String)} is "${value}"`, () =>
    assert.deepEqual(selectableFieldsOf([path])({ spec }), { [name]: value }));
}
