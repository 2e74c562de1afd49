/** The example for Vitest, run by Vitest: in a project that has it, as a user's would. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { installedFromNpm, run } from "../conformance/client-program.ts";

const root = join(import.meta.dirname, "..", "..");
const source = join(import.meta.dirname, "vitest");
const example = "08-test-with-vitest.spec.ts";

test("the example for Vitest passes in Vitest", { timeout: 10 * 60_000 }, async (t) => {
  const library = await installedFromNpm("vitest", source);
  if ("missing" in library) {
    t.skip(library.missing);
    return;
  }
  const project = mkdtempSync(join(tmpdir(), "coxswain-vitest-"));
  t.after(() => rmSync(project, { recursive: true, force: true }));
  mkdirSync(join(project, "node_modules"));
  const link = (name: string, target: string) => symlinkSync(target, join(project, "node_modules", name));
  link("vitest", join(library.folder, "node_modules", "vitest"));
  for (const name of ["coxswain", "@coxswain"]) link(name, join(root, "node_modules", name));
  copyFileSync(join(root, "examples", example), join(project, example));

  const vitest = join(library.folder, "node_modules", "vitest", "vitest.mjs");
  const report = join(project, "report.json");
  const args = [vitest, "run", "--root", project, "--no-cache", "--reporter=json", `--outputFile=${report}`];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: project, timeoutMs: 5 * 60_000 });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, "utf8"));
  assert.deepEqual({ numPassedTests, numTotalTests }, { numPassedTests: 5, numTotalTests: 5 });
});
