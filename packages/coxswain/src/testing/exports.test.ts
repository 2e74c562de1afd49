import assert from "node:assert/strict";
import { test } from "node:test";
import * as loaded from "coxswain/testing";
import * as source from "./index.ts";

test("the plain entry has all that the typed one says, and the same", () => {
  assert.deepEqual(Object.keys(loaded).sort(), Object.keys(source).sort());
  for (const [name, value] of Object.entries(source)) assert.equal(Object.entries(loaded).find(([key]) => key === name)?.[1], value, name);
});
