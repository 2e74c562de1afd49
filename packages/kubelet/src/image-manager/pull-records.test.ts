import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { PullRecords } from "./pull-records.ts";

const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const name = { image: "registry/a:1", repository: "registry/a" };

test("an image that was there before the first pull is for all", () => {
  assert.ok(new PullRecords(join(folder, "none.json")).mayUse("id", name, () => []));
});

test("an image counts as pulled with unknown credentials where the records cannot be read", () => {
  const path = join(folder, "broken.json");
  writeFileSync(path, '{"records":[');
  const records = new PullRecords(path);
  assert.ok(!records.mayUse("id", name, () => []));
  records.pulled("id", name, undefined);
  assert.ok(records.mayUse("id", name, () => []));
  const restarted = new PullRecords(path);
  assert.ok(restarted.mayUse("id", name, () => []));
  assert.ok(!restarted.mayUse("other", { ...name, image: "registry/b:1" }, () => []), "what was lost once is not found by a restart");
});
