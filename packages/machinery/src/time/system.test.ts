import assert from "node:assert/strict";
import { test } from "node:test";
import { systemRandom } from "./system.ts";

test("UUIDs are of version 4, and no two of thousands the same", () => {
  const made = Array.from({ length: 5_000 }, () => systemRandom.uuid());
  for (const uuid of made) assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(made).size, made.length);
});
