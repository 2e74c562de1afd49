import assert from "node:assert/strict";
import { test } from "node:test";
import { startCluster, virtualClock } from "../testing/index.ts";
import { measureNodes } from "./measure-nodes.ts";

const quiet = { warn: () => undefined };

test("nodes are scraped while metrics are requested, and no longer", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.applyYaml("{apiVersion: v1, kind: Node, metadata: {name: one}}");
  const { clock } = cluster;
  let scrapes = 0;
  const client = cluster.clientFor({ name: "measuring" });
  const { request } = client;
  const seconds = () => clock.now() / 1000;
  const faked = Object.assign(Object.create(client), {
    request: async (asked: Parameters<typeof request>[0]) => {
      if (!asked.path.includes("/proxy/")) return request.call(client, asked);
      scrapes++;
      const text = `node_cpu_usage_seconds_total ${seconds() / 4} ${clock.now()}\nnode_memory_working_set_bytes 7 ${clock.now()}\n`;
      return { status: 200, headers: {}, bytes: async () => Buffer.from(text), chunks: () => [], cancel() {} };
    },
  });
  await using measured = measureNodes({ client: faked, clock, log: quiet });
  assert.equal(scrapes, 0);
  const nodes = await measured.nodes();
  assert.deepEqual([...nodes.keys()], ["one"]);
  assert.equal(Math.round((nodes.get("one")?.cpuNanocores ?? 0) / 1e6), 250);
  assert.equal(scrapes, 2);
  await cluster.advance({ seconds: 60 });
  assert.equal((await measured.pods()).size, 0);
  const asked = scrapes;
  assert.ok(asked >= 5, `${asked} scrapes`);
  await cluster.advance({ minutes: 10 });
  assert.ok(scrapes - asked <= 10, `${scrapes - asked} more scrapes without a request`);
});
