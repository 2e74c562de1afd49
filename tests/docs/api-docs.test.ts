/** The reference of all packages, built by TypeDoc. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../conformance/client-program.ts";

const root = join(import.meta.dirname, "..", "..");

test("TypeDoc builds the reference of all packages without a warning", { timeout: 10 * 60_000 }, async (t) => {
  const out = mkdtempSync(join(tmpdir(), "coxswain-api-docs-"));
  t.after(() => rmSync(out, { recursive: true, force: true }));
  const { code, stdout, stderr } = await run(process.execPath, [join(root, "scripts", "api-docs.ts"), out], { timeoutMs: 9 * 60_000 });
  if (/failed to install TypeDoc/.test(stderr)) {
    t.skip("TypeDoc cannot be installed here");
    return;
  }
  assert.equal(code, 0, `${stdout}\n${stderr}`);
});
