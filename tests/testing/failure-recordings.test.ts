/** What is recorded of tests that fail, and that nothing is left of those that pass. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { readRecording } from "coxswain/testing";

const program = join(import.meta.dirname, "runs/recorded.ts");

async function run(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly output: string; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-recordings-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const all = { ...process.env, COXSWAIN_RECORDINGS: folder, ...env, NODE_TEST_CONTEXT: undefined };
  const child = spawn(process.execPath, [...args, program], { env: all, signal: t.signal });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  return { output, folder };
}

const named = (output: string): readonly string[] =>
  [...new Set([...output.matchAll(/The run is recorded in (\S+): npx coxswain replay/g)].map(([, path = ""]) => path))].sort();

test("each test that fails is recorded once, and its error says where", { timeout: hangMs }, async (t) => {
  const { output, folder } = await run(t, ["--test", "--test-reporter=spec"], {});
  const files = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
  assert.equal(files.length, 4, output);
  assert.deepEqual(named(output), files);
  const recordings = await Promise.all(files.map(readRecording));
  const byReason = new Map(recordings.map((one) => [one.header.reason, one]));
  assert.deepEqual([...byReason.keys()].sort(), ["a test failed", "asserts what is not so", "breaks an invariant", "has several clusters"]);
  const { header, records = [] } = byReason.get("asserts what is not so") ?? {};
  assert.match(header?.failure?.message ?? "", /^Expected values to be strictly equal/);
  const requests = records.flatMap((record) =>
    record.kind === "request" ? [[record.user, record.code ?? record.message, record.reason]] : [],
  );
  assert.deepEqual(requests.slice(-3), [
    ["max", "the connection was lost", undefined],
    ["max", 200, undefined],
    ["max", 404, "NotFound"],
  ]);
  const faults = records.flatMap((record) => (record.kind === "fault" ? [[record.fault, record.request]] : []));
  assert.deepEqual(faults, [["lose-answer", "get configmaps default/a"]]);
  const broken = byReason.get("breaks an invariant")?.header.failure;
  assert.equal(broken?.key, "/registry/configmaps/default/b");
  assert.match(broken?.message ?? "", new RegExp(`^the invariant "is a" did not hold, first at resourceVersion ${broken?.revision}:`));
  const { seed, failure } = byReason.get("a test failed")?.header ?? {};
  assert.deepEqual([seed, failure?.key, failure?.until], [7, "/registry/secrets/default/never", "condition=Ready"]);
});

test("nothing is left where all tests pass, whoever runs them", { timeout: hangMs }, async (t) => {
  for (const args of [["--test"], []]) {
    const { output, folder } = await run(t, args, { FAILING: "no" });
    assert.match(output, /^ℹ fail 0$/m);
    assert.deepEqual(readdirSync(folder), []);
  }
});

test("none is made where nobody wants any, or none can be written", { timeout: hangMs }, async (t) => {
  const off = await run(t, ["--test"], { COXSWAIN_RECORDINGS: "off" });
  assert.deepEqual(named(off.output), []);
  assert.match(off.output, /1 !== 2/);
  const { output } = await run(t, ["--test"], { COXSWAIN_RECORDINGS: program });
  assert.match(output, /1 !== 2\n(?:.*\n)*?.*The run could not be recorded: /);
});
