/** `/metrics` of all parts in Prometheus' text format: client-go's reader goes on for ever at a family that comes twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { startTarget } from "../robustness/target.ts";

const paths = ["/metrics", "/api/v1/nodes/node-1/proxy/metrics", "/api/v1/nodes/node-1/proxy/metrics/resource"];

test("every family of metrics comes once, and its samples behind it", { timeout: hangMs }, async () => {
  await using target = await startTarget("--runtime=simulated", "--nodes=1");
  const names = async (): Promise<readonly string[]> =>
    ((await target.fresh("GET", "/api/v1/nodes")).body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  await waitUntil("the node", async () => (await names()).length === 1);
  const [node = ""] = await names();
  for (const path of paths) {
    const { status, text } = await target.fresh("GET", path.replace("node-1", node));
    assert.equal(status, 200, text);
    assert.deepEqual(problemsOf(text), [], path);
  }
});

test("a family that comes twice is found, and a sample of another", () => {
  assert.deepEqual(problemsOf("# HELP a x\n# TYPE a gauge\na 1\n# HELP b y\n# TYPE b counter\na 2\n# HELP a x\n"), [
    "a 2: behind b",
    "a comes twice",
  ]);
});

function problemsOf(text: string): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let family = "";
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, keyword, named = ""] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (seen.has(named)) problems.push(`${named} comes twice`);
      seen.add(named);
      family = named;
    } else if (keyword === undefined) {
      const name = /^[^{ ]+/.exec(line)?.[0] ?? "";
      if (name !== family && !["_bucket", "_sum", "_count"].some((end) => name === `${family}${end}`))
        problems.push(`${line}: behind ${family}`);
    }
  }
  return problems;
}
