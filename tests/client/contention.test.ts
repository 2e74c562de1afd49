/** Many writers of one object: nothing is lost, it ends, and what is remembered of it is bounded. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { type Client, configMaps, retryOnConflict } from "@coxswain/client";
import type { ConflictList } from "@coxswain/machinery";
import { propertyRuns } from "../scope.ts";
import { onEachServer } from "./each-server.ts";

const writers = 50;
const times = propertyRuns(100);
/** Among fifty the next attempt is likely to fail, too: waiting longer each time keeps most of them away. */
const backoff = { attempts: 10_000, baseDelayMs: 5, factor: 2, jitter: 1, capMs: 250 };

onEachServer("fifty clients that each add one many times lose nothing", async (surroundings) => {
  const { client, namespace, another, explains, report } = surroundings;
  const maps = client.resource(configMaps, namespace);
  await maps.create({ metadata: { name: "counter" }, data: { n: "0" } });
  const clients = await Promise.all(Array.from({ length: writers }, (_, i) => another({ fieldManager: `adder-${i}` })));
  const startedAt = performance.now();
  const conflicts = await Promise.all(clients.map((one) => addAll(one, namespace)));
  const total = conflicts.reduce((sum, one) => sum + one, 0);
  report(`${writers * times} increments, ${total} conflicts, ${Math.round(performance.now() - startedAt)} ms`);
  assert.deepEqual((await maps.get("counter")).data, { n: String(writers * times) });
  assert.ok(total > 0, "there was no conflict");
  if (explains) await assertBounded(client, namespace, total);
});

/** Resolves with how often another client was faster. */
async function addAll(client: Client, namespace: string): Promise<number> {
  const maps = client.resource(configMaps, namespace);
  let conflicts = 0;
  for (let i = 0; i < times; i++) {
    const addOne = async (attempt: number): Promise<void> => {
      if (attempt > 1) conflicts++;
      const read = await maps.get("counter");
      // In one process no other client would come between the two.
      await setImmediate();
      await maps.update({ ...read, data: { n: String(Number(read.data?.n) + 1) } });
    };
    await retryOnConflict(addOne, backoff);
  }
  return conflicts;
}

/** @see docs/concepts/conflicts.md */
async function assertBounded(client: Client, namespace: string, conflicts: number): Promise<void> {
  const response = await client.request({ method: "GET", path: "/coxswain/v1/conflicts", headers: {} });
  const bytes = await response.bytes();
  const { items } = JSON.parse(Buffer.from(bytes).toString()) as ConflictList;
  assert.equal(items.length, Math.min(256, conflicts));
  assert.ok(bytes.byteLength < 1.5 * 2 ** 20, `${bytes.byteLength} bytes`);
  const times = items.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted().toReversed());
  for (const { object, loser, causes, behindBy = 0 } of items) {
    assert.deepEqual([object.resource, object.namespace, object.name, loser.verb], ["configmaps", namespace, "counter", "update"]);
    assert.deepEqual(
      causes.map(({ reason, field }) => [reason, field]),
      [["OverlappingChange", ".data.n"]],
    );
    assert.ok(behindBy > 0);
  }
}
