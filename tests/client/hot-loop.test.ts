import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, configMaps, controller, controllerManager, done, events } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

async function firstEvent(client: Client): Promise<api.coreV1.Event | undefined> {
  for await (const seen of client.resource(events).watch({ fieldSelector: "reason=HotLoop" })) {
    if (seen.type === "LISTED" && seen.items.length > 0) return seen.items[0];
    if (seen.type === "ADDED") return seen.object;
  }
  return undefined;
}

test("two controllers that undo each other's work are named in the log, an Event and a metric", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const wanting = (mood: string) =>
    controller({
      name: mood,
      for: configMaps,
      namespace: "default",
      reconcile: async ({ name }, { object, client }) => {
        if (name !== "fought-over" || object?.metadata?.annotations?.mood === mood) return done;
        const patch = { metadata: { annotations: { mood } } };
        await client.resource(configMaps).patch(name, { type: "merge", patch }, { fieldManager: mood });
        return done;
      },
    });
  const said: object[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void said.push(fields) };
  const stop = new AbortController();
  const manager = controllerManager([wanting("glad"), wanting("sad")], { client: cluster.client, log });
  const run = manager.run(stop.signal);
  await cluster.client.resource(configMaps).create({ metadata: { name: "fought-over" }, data: { a: "b" } });
  // They never rest, so that no virtual time passes.
  const event = await firstEvent(cluster.client);
  stop.abort();
  await run;
  assert.equal(event?.message, "glad and sad fight over .metadata.annotations.mood: 10 writes within 10 s");
  assert.deepEqual([event?.type, event?.involvedObject.name], ["Warning", "fought-over"]);
  assert.match(manager.metrics.text(), /^controller_hot_loops_total\{group="",resource="configmaps"\} 1$/m);
  const [fields] = said;
  assert.deepEqual(fields, {
    resource: "configmaps",
    namespace: "default",
    name: "fought-over",
    writers: ["glad", "sad"],
    field: ".metadata.annotations.mood",
    writes: 10,
    withinMs: 10_000,
  });
});
