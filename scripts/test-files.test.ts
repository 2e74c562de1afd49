import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./checks/tree.ts";
import { chosenFiles, testFiles } from "./test-files.ts";

/** Files that a run starts, by themselves or as members of a group. */
function covered(all: boolean, chosen: readonly string[] = []): string[] {
  const entries = mkdtempSync(join(tmpdir(), "test-files-"));
  try {
    const files = chosen.length === 0 ? testFiles({ all, entries }) : chosenFiles(chosen, { all, entries });
    return files.flatMap((file) =>
      file.startsWith(entries) ? [...readFileSync(file, "utf8").matchAll(/describe\("([^"]+)"/g)].map(([, name = ""]) => name) : [file],
    );
  } finally {
    rmSync(entries, { recursive: true });
  }
}

const everything = globSync(["scripts/**/*.test.ts", "packages/*/src/**/*.test.ts", "examples/*.test.ts", "tests/**/*.test.ts"], {
  cwd: root,
});

test("--all runs each test file once", () => assert.deepEqual(covered(true).sort(), everything.sort()));

test("without it, what needs other programs is left out, and nothing else", () => {
  const left = covered(false);
  assert.equal(new Set(left).size, left.length);
  const out = everything.filter((file) => !left.includes(file));
  assert.ok(out.includes("tests/conformance/java.test.ts"));
  assert.deepEqual(
    out.filter((file) => file.startsWith("packages/")),
    [],
  );
});

test("of folders that are named, it runs the files that a whole run has there, and options and files as they are named", () => {
  assert.deepEqual(
    covered(false, ["tests/conformance", "tests/client/"]).sort(),
    [...covered(false).filter((file) => file.startsWith("tests/client/") || file.startsWith("tests/conformance/"))].sort(),
  );
  const named = ["--test-name-pattern=a", "tests/browser/page.test.ts"];
  assert.deepEqual(covered(false, named), named);
  assert.deepEqual(covered(true, ["tests/browser/"]), [
    "tests/browser/page.test.ts",
    "tests/browser/races.test.ts",
    "tests/browser/replay.test.ts",
    "tests/browser/timeline.test.ts",
  ]);
});
