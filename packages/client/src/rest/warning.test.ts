import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWarnings } from "./warning.ts";

const cases: readonly [header: string | undefined, texts: readonly string[]][] = [
  [undefined, []],
  ['299 - "v1 ComponentStatus is deprecated in v1.19+"', ["v1 ComponentStatus is deprecated in v1.19+"]],
  ['299 - "one, with a comma", 299 - "two"', ["one, with a comma", "two"]],
  ['299 - "unknown field \\"spec.x\\" \\\\"', ['unknown field "spec.x" \\']],
  ['299 proxy "dated" "Sat, 21 Nov 2026 08:00:00 GMT", 110 - "stale"', ["dated"]],
  ["299 - unquoted", []],
];
for (const [header, texts] of cases) test(`reads ${header}`, () => assert.deepEqual(parseWarnings(header), texts));
