/**
 * What tests show of a server, shown once more with its state in each etcd: of all that `COXSWAIN_STORE=etcd npm test -- tests/integration
 * tests/golden tests/conformance` would run, that which the store has most to do with.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../conformance/client-program.ts";
import { root } from "../conformance/command-under-test.ts";
import { suiteOnEachEtcd } from "../etcd-server.ts";

const integration = [
  ...["apply", "concurrency", "conflicts", "conversion", "deletion", "kept-objects", "lists", "patches", "resource-quota", "watch"],
  ...["watch-backlog", "writes", "writes-in-between"],
  ...["deletion", "lists", "served", "versions", "writes"].map((name) => `custom-resources-${name}`),
];
const files = [
  ...integration.map((name) => `tests/integration/${name}.test.ts`),
  "tests/golden/answers.test.ts",
  ...["command", "encryption"].map((name) => `tests/conformance/${name}.test.ts`),
];
const timeoutMs = 20 * 60_000;

suiteOnEachEtcd("servers with their state in", (startEtcd) => {
  test("pass the tests of servers", async () => {
    await using etcd = await startEtcd();
    // Inside another run, Node would run none.
    const env = { COXSWAIN_STORE: "etcd", COXSWAIN_ETCD_SERVERS: etcd.url, COXSWAIN_TESTS: undefined, NODE_TEST_CONTEXT: undefined };
    const { code, stdout, stderr } = await run(process.execPath, ["scripts/test.ts", ...files], { cwd: root, env, timeoutMs });
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    const passed = Number(/^. pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed > 250, `only ${passed} tests have passed:\n${stdout}`);
    assert.ok((await keysIn(etcd.url)) > 10_000, "the state is there");
  });
});

/** As etcd's own gateway for JSON counts them. */
async function keysIn(url: string): Promise<number> {
  const [key, range_end] = ["/test-", "/test."].map((text) => Buffer.from(text).toString("base64"));
  const answer = await fetch(`${url}/v3/kv/range`, { method: "POST", body: JSON.stringify({ key, range_end, count_only: true }) });
  assert.equal(answer.status, 200);
  return Number(((await answer.json()) as { count?: string }).count ?? 0);
}
