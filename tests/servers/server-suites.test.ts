/**
 * What tests show of a server, shown once more where it is one of several of its process: on a copy of the store, as further threads have
 * one, and as the command with two servers. `COXSWAIN_STORE=replica npm test -- tests/integration tests/golden` and
 * `COXSWAIN_SERVERS=2 npm test -- tests/conformance` are all of it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../conformance/client-program.ts";
import { root } from "../conformance/command-under-test.ts";

const integration = [
  ...["apply", "concurrency", "conflicts", "conversion", "deletion", "kept-objects", "lists", "patches", "resource-quota", "watch"],
  ...["watch-backlog", "writes", "writes-in-between"],
  ...["deletion", "lists", "served", "versions", "writes"].map((name) => `custom-resources-${name}`),
];
const timeoutMs = 20 * 60_000;
const suites = [
  {
    name: "on a copy of the store",
    env: { COXSWAIN_STORE: "replica" },
    files: [...integration.map((name) => `tests/integration/${name}.test.ts`), "tests/golden/answers.test.ts"],
    least: 250,
  },
  {
    name: "with two servers",
    env: { COXSWAIN_SERVERS: "2" },
    files: ["command", "authentication", "encryption", "kubectl-access"].map((name) => `tests/conformance/${name}.test.ts`),
    least: 30,
  },
];

for (const { name, env, files, least } of suites)
  test(`servers ${name} pass the tests of servers`, { skip: process.platform !== "linux" && "threads share a port on Linux" }, async () => {
    // Inside another run, Node would run none.
    const all = { ...env, COXSWAIN_TESTS: undefined, NODE_TEST_CONTEXT: undefined };
    const { code, stdout, stderr } = await run(process.execPath, ["scripts/test.ts", ...files], { cwd: root, env: all, timeoutMs });
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    const passed = Number(/^. pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed > least, `only ${passed} tests have passed:\n${stdout}`);
  });
