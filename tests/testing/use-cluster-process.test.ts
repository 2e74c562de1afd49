/** Clusters end with tests that fail or never do, and leave nothing that keeps their process alive. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { readRecording } from "coxswain/testing";

for (const per of ["file", "test"])
  test(`a process with a cluster per ${per} ends by itself`, { timeout: hangMs }, async (t) => {
    const temporary = mkdtempSync(join(tmpdir(), "coxswain-runs-"));
    t.after(() => rmSync(temporary, { recursive: true, force: true }));
    const recordings = mkdtempSync(join(tmpdir(), "coxswain-recordings-"));
    t.after(() => rmSync(recordings, { recursive: true, force: true }));
    const env = { ...process.env, PER: per, TMPDIR: temporary, COXSWAIN_RECORDINGS: recordings, NODE_TEST_CONTEXT: undefined };
    const program = join(import.meta.dirname, "runs/failing.ts");
    const child = spawn(process.execPath, ["--test-reporter=tap", program], { env, signal: t.signal });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await once(child, "close");
    assert.match(output, /^not ok 1 - fails$/m, output);
    assert.match(output, /^not ok 2 - never ends$/m, output);
    assert.match(output, /^ok 3 - comes after both$/m, output);
    assert.deepEqual(readdirSync(temporary), [], "the kubeconfig of the cluster is gone");
    const [failed = "", ...others] = readdirSync(recordings).filter((name) =>
      output.includes(`The run is recorded in ${join(recordings, name)}`),
    );
    assert.deepEqual(others.length, readdirSync(recordings).length - 1, "each is named by an error");
    const { header } = await readRecording(join(recordings, failed));
    assert.equal(header.reason, "fails");
    assert.equal(header.failure?.message, "as it should");
  });
