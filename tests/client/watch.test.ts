/** Watches, over real servers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, configMaps, type WatchEvent } from "@coxswain/client";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";
import { onEachServer } from "./each-server.ts";

type ConfigMap = api.coreV1.ConfigMap;

const named = (name: string, x = ""): ConfigMap => ({ metadata: { name, labels: { part: "tests" } }, data: { x } });

/** What follows from the events, by name. */
class Mirror {
  readonly data = new Map<string, string | undefined>();
  lists = 0;

  take(event: WatchEvent<ConfigMap>): void {
    if (event.type === "BOOKMARK") return;
    if (event.type === "LISTED") {
      this.lists++;
      this.data.clear();
      for (const item of event.items) this.data.set(item.metadata?.name ?? "", item.data?.x);
    } else if (event.type === "DELETED") this.data.delete(event.object.metadata?.name ?? "");
    else this.data.set(event.object.metadata?.name ?? "", event.object.data?.x);
  }
}

/** Follows until the object `end` is there. */
async function mirrored(client: Client, namespace: string, onListed?: () => unknown): Promise<Mirror> {
  const mirror = new Mirror();
  for await (const event of client.resource(configMaps, namespace).watch({ labelSelector: "part=tests" })) {
    mirror.take(event);
    if (event.type === "LISTED") onListed?.();
    if (mirror.data.has("end")) return mirror;
  }
  return mirror;
}

async function writeAll(client: Client, namespace: string): Promise<void> {
  const maps = client.resource(configMaps, namespace);
  for (let i = 0; i < 20; i++) await maps.create(named(`m-${i % 7}-${i}`, String(i)));
  for (let i = 0; i < 20; i += 2) await maps.modify(`m-${i % 7}-${i}`, (draft) => ({ ...draft, data: { x: "changed" } }));
  for (let i = 0; i < 20; i += 3) await maps.delete(`m-${i % 7}-${i}`);
  await maps.create(named("end"));
}

async function assertSame(mirror: Mirror, client: Client, namespace: string): Promise<void> {
  const { items } = await client.resource(configMaps, namespace).list({ labelSelector: "part=tests" });
  assert.deepEqual([...mirror.data].sort(), items.map(({ metadata, data }) => [metadata?.name, data?.x]).sort());
}

onEachServer("a watch without a resourceVersion delivers existing objects and later changes", async ({ client, namespace }) => {
  await client.resource(configMaps, namespace).create(named("before", "1"));
  const listed = Promise.withResolvers<void>();
  const watching = mirrored(client, namespace, listed.resolve);
  await listed.promise;
  await writeAll(client, namespace);
  const mirror = await watching;
  assert.equal(mirror.lists, 1);
  await assertSame(mirror, client, namespace);
});

onEachServer("a watch from a resourceVersion continues after it without repeating an event", async ({ client, namespace }) => {
  const maps = client.resource(configMaps, namespace);
  const first = await maps.create(named("a"));
  await maps.create(named("b"));
  await maps.delete("a");
  const events: string[] = [];
  for await (const event of maps.watch({ resourceVersion: first.metadata?.resourceVersion ?? "", labelSelector: "part=tests" })) {
    if (event.type === "ADDED" || event.type === "DELETED") events.push(`${event.type} ${event.object.metadata?.name}`);
    if (events.length === 2) break;
  }
  assert.deepEqual(events, ["ADDED b", "DELETED a"]);
});

onEachServer("a version that the server does not know leads to a list", async ({ client, namespace }) => {
  const errors: unknown[] = [];
  const watch = client.resource(configMaps, namespace).watch({ resourceVersion: "1", onInterrupted: ({ error }) => errors.push(error) });
  const maps = client.resource(configMaps, namespace);
  await maps.create(named("end"));
  const mirror = new Mirror();
  for await (const event of watch) {
    mirror.take(event);
    if (mirror.data.has("end")) break;
  }
  assert.ok(mirror.lists <= 1 && errors.length === mirror.lists);
});

onEachServer("a watch ends quietly with its signal", async ({ client, namespace }) => {
  const leave = new AbortController();
  const events: string[] = [];
  for await (const { type } of client.resource(configMaps, namespace).watch({ signal: leave.signal })) {
    events.push(type);
    leave.abort();
  }
  assert.deepEqual(events, ["LISTED"]);
});

const faults = [
  { name: "drops", fault: { kind: "drop-watch", afterEvents: 3 } },
  { name: "ends", fault: { kind: "end-watch", afterEvents: 3 } },
  { name: "stalls", fault: { kind: "stall-watch", afterEvents: 3 } },
  { name: "expires", fault: { kind: "expired", afterEvents: 3 } },
] as const;
for (const { name, fault } of faults)
  test(`a watch that ${name} again and again still ends up with the whole state`, async () => {
    await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    const script = new FaultScript([{ fault, on: { resource: "configmaps" }, times: 5 }]);
    const watcher = cluster.clientFor({ name: "watcher" }, { faults: script });
    const listed = Promise.withResolvers<void>();
    const watching = mirrored(watcher, "default", listed.resolve);
    await listed.promise;
    await writeAll(cluster.client, "default");
    await assertSame(await watching, cluster.client, "default");
    assert.ok(script.fired.length > 0, "the fault has happened");
  });
