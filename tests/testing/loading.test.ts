/** What is loaded when: a file of tests that starts no cluster loads no server, and no test loads Node's own fetch. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

interface Loaded {
  readonly moment: string;
  readonly packages: readonly string[];
  readonly hasFetch: boolean;
}

test("parts of a cluster are loaded when they are asked for", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, "runs/loading.mjs")]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Loaded);
  const first: Record<string, string> = {};
  for (const { moment, packages } of lines) for (const name of packages) first[name] ??= moment;
  assert.deepEqual(first, {
    client: "imported",
    coxswain: "imported",
    machinery: "imported",
    pki: "imported",
    schema: "imported",
    api: "started",
    apiserver: "started",
    apply: "started",
    store: "started",
    cel: "run",
    controllers: "run",
    kubelet: "run",
    scheduler: "run",
  });
  assert.deepEqual(
    lines.map(({ hasFetch }) => hasFetch),
    [false, false, false],
  );
});
