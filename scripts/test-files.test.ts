import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./checks/tree.ts";
import { testFiles } from "./test-files.ts";

/** Files that a run starts, by themselves or as members of a group. */
function covered(all: boolean): string[] {
  const entries = mkdtempSync(join(tmpdir(), "test-files-"));
  try {
    const files = testFiles({ all, entries });
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
