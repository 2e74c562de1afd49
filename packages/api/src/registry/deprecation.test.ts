import assert from "node:assert/strict";
import { test } from "node:test";
import { deprecationWarning } from "./deprecation.ts";

const cases: readonly (readonly [string, string | undefined])[] = [
  ["Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  ["ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"],
  ["Pod", undefined],
];
for (const [kind, expect] of cases) {
  test(`${kind}: ${expect ?? "no warning"}`, () => assert.equal(deprecationWarning({ group: "", version: "v1", kind }), expect));
}
