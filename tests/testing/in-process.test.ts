import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { TransportResponse } from "@coxswain/client";
import { quiescence } from "@coxswain/machinery/testing";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const send = (
  { transport }: TestCluster,
  method: "GET" | "POST",
  path: string,
  { body, signal }: { body?: object; signal?: AbortSignal } = {},
) =>
  transport.send({
    method,
    path,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    signal,
  });
const json = async (answer: TransportResponse) => JSON.parse(Buffer.from(await answer.bytes()).toString());
const configMaps = "/api/v1/namespaces/default/configmaps";
const create = async (cluster: TestCluster, name: string, size = 1) =>
  json(await send(cluster, "POST", configMaps, { body: { metadata: { name }, data: { text: "x".repeat(size) } } }));

/** How many watches the server has, by its own count. */
async function openWatches(cluster: TestCluster): Promise<number> {
  const metrics = Buffer.from(await (await send(cluster, "GET", "/metrics")).bytes()).toString();
  return Number(/^apiserver_longrunning_requests\{.*verb="WATCH".*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

test("a request and its answer", async () => {
  await using cluster = await startCluster();
  const answer = await send(cluster, "GET", "/api/v1/namespaces/default");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "application/json");
  assert.equal(answer.headers["cache-control"], "no-cache, private");
  assert.match(answer.headers["audit-id"] ?? "", /^[0-9a-f-]{36}$/);
  assert.equal((await json(answer)).metadata.name, "default");
});

test("a long list comes in chunks", async () => {
  await using cluster = await startCluster();
  for (let i = 0; i < 10; i++) await create(cluster, `big-${i}`, 100_000);
  let chunks = 0;
  const answer = await send(cluster, "GET", configMaps);
  const parts: Uint8Array[] = [];
  for await (const chunk of answer.chunks()) {
    chunks++;
    parts.push(chunk);
  }
  assert.ok(chunks > 1);
  assert.equal(JSON.parse(Buffer.concat(parts).toString()).items.length, 10);
});

test("a body over the limit is refused as on the port", async () => {
  await using cluster = await startCluster();
  const answer = await send(cluster, "POST", configMaps, { body: { data: { text: "x".repeat(3 * 1024 * 1024) } } });
  assert.equal(answer.status, 413);
  assert.equal((await json(answer)).reason, "RequestEntityTooLarge");
});

const leaving: readonly { readonly name: string; readonly leave: (watch: TransportResponse, gone: AbortController) => Promise<void> }[] = [
  {
    name: "stops reading",
    leave: async (watch) => {
      for await (const _ of watch.chunks()) break;
    },
  },
  { name: "never reads and cancels", leave: async (watch) => watch.cancel() },
  {
    name: "aborts while it reads",
    leave: async (watch, gone) => {
      await assert.rejects(async () => {
        for await (const _ of watch.chunks()) setImmediate(() => gone.abort(new Error("enough")));
      }, /enough/);
    },
  },
  {
    name: "aborts without reading",
    leave: async (watch, gone) => {
      gone.abort(new Error("enough"));
      await assert.rejects(watch.bytes(), /enough/);
    },
  },
];
for (const { name, leave } of leaving) {
  test(`the server's end of a watch is closed when the client ${name}`, async () => {
    await using cluster = await startCluster({ clock: virtualClock() });
    const upkeep = waiting(cluster);
    const gone = new AbortController();
    const watch = await send(cluster, "GET", `${configMaps}?watch=1&resourceVersion=0&allowWatchBookmarks=1`, { signal: gone.signal });
    await create(cluster, "seen");
    await settled(cluster);
    assert.equal(waiting(cluster), upkeep + 1);
    await leave(watch, gone);
    await settled(cluster);
    assert.equal(waiting(cluster), upkeep);
    assert.equal(await openWatches(cluster), 0);
    assert.equal(getEventListeners(gone.signal, "abort").length, 0);
  });
}

const waiting = ({ clock }: TestCluster): number => ("waiting" in clock ? Number(clock.waiting) : 0);
const settled = (cluster: TestCluster): Promise<void> => cluster.advance({ ms: 0 });

test("a slow reader is disconnected and gets a ConnectionError", async () => {
  await using cluster = await startCluster();
  const watch = await send(cluster, "GET", `${configMaps}?watch=1`);
  for (let i = 0; i < 80; i++) await create(cluster, `big-${i}`, 900_000);
  await assert.rejects(
    async () => {
      for await (const _ of watch.chunks());
    },
    { name: "ConnectionError" },
  );
});

test("the end of the cluster is the end of its connections", async () => {
  const cluster = await startCluster();
  const watch = await send(cluster, "GET", `${configMaps}?watch=1&timeoutSeconds=3600`);
  const read = watch.bytes();
  const ended = assert.rejects(read, { name: "ConnectionError" });
  await cluster[Symbol.asyncDispose]();
  await ended;
});

test("an aborted request rejects at once, but the server ends what it has begun", async () => {
  await using cluster = await startCluster();
  const gone = new AbortController();
  await (await send(cluster, "GET", configMaps, { signal: gone.signal })).bytes();
  assert.equal(getEventListeners(gone.signal, "abort").length, 0);
  const creating = send(cluster, "POST", configMaps, { body: { metadata: { name: "begun" } }, signal: gone.signal });
  gone.abort(new Error("never mind"));
  await assert.rejects(creating, /never mind/);
  await quiescence();
  assert.equal((await send(cluster, "GET", `${configMaps}/begun`)).status, 200);
  await assert.rejects(send(cluster, "POST", configMaps, { body: { metadata: { name: "never" } }, signal: gone.signal }), /never mind/);
  assert.equal((await send(cluster, "GET", `${configMaps}/never`)).status, 404);
});

test("a request has the transport's user, whatever its headers say", async () => {
  await using cluster = await startCluster();
  const jane = cluster.transportFor({ name: "jane", groups: ["devs"] });
  const answer = await jane.send({ method: "GET", path: "/api/v1/pods", headers: { authorization: "Bearer x" } });
  assert.equal(answer.status, 403);
  assert.match((await json(answer)).message, /User "jane" cannot list/);
});
