import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commandReference, referenceFile } from "./command-reference.ts";

test("the reference of the command is what its parser knows; npm run fix:command-reference writes it", () =>
  assert.equal(readFileSync(referenceFile, "utf8"), commandReference()));
