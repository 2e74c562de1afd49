import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi, type Watching } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const create = (api: Api, name: string, color: string) =>
  api.send("POST", maps, { body: { metadata: { name, labels: { color } }, data: { v: "1" } } });
const patch = (api: Api, name: string, body: object) =>
  api.send("PATCH", `${maps}/${name}`, { type: "application/merge-patch+json", body });

const seen = async (watching: Watching): Promise<string[]> => {
  await watching.settle();
  return watching.events.map(({ type, object }: Json) => `${type} ${object.metadata.name ?? ""}`.trim());
};

test("a watch without a version begins with what is there and goes on live", async () => {
  const api = await startApi();
  await create(api, "a", "red");
  const watching = await api.watch(`${maps}?watch=true`);
  await watching.settle();
  await create(api, "b", "red");
  await patch(api, "a", { data: { v: "2" } });
  await api.send("DELETE", `${maps}/b`);
  assert.deepEqual(await seen(watching), ["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
  assert.equal(watching.events.at(-1).object.metadata.resourceVersion, String(api.store.revision));
});

test("watchers that join at different moments see the same events once each, in order", async () => {
  const api = await startApi();
  const first = (await create(api, "first", "red")).body.metadata.resourceVersion;
  const watchings: Watching[] = [];
  for (let i = 0; i < 20; i++) {
    watchings.push(await api.watch(`${maps}?watch=1&resourceVersion=${first}`));
    await create(api, `m${i}`, "red");
  }
  const all = Array.from({ length: 20 }, (_, i) => `ADDED m${i}`);
  for (const watching of watchings) assert.deepEqual(await seen(watching), all);
});

test("an object that leaves the selection is deleted for its watchers, with its old content and the new version", async () => {
  const api = await startApi();
  await create(api, "a", "red");
  const watching = await api.watch(`${maps}?watch=1&labelSelector=color%3Dred`);
  const { body: left } = await patch(api, "a", { metadata: { labels: { color: "blue" } } });
  await patch(api, "a", { data: { v: "3" } });
  await patch(api, "a", { metadata: { labels: { color: "red" } } });
  assert.deepEqual(await seen(watching), ["ADDED a", "DELETED a", "ADDED a"]);
  assert.deepEqual(watching.events[1].object.metadata.labels, { color: "red" });
  assert.equal(watching.events[1].object.metadata.resourceVersion, left.metadata.resourceVersion);
});

test("a list's version and a watch from it leave no gap", async () => {
  const api = await startApi();
  await create(api, "a", "red");
  const { body } = await api.send("GET", maps);
  await create(api, "b", "red");
  const watching = await api.watch(`${maps}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
  await create(api, "c", "red");
  assert.deepEqual(await seen(watching), ["ADDED b", "ADDED c"]);
});

test("initial events end with a bookmark that says so", async () => {
  const api = await startApi();
  await create(api, "a", "red");
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watching = await api.watch(`${maps}?${query}`);
  assert.deepEqual(await seen(watching), ["ADDED a", "BOOKMARK"]);
  assert.deepEqual(watching.events[1].object, {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { resourceVersion: String(api.store.revision), annotations: { "k8s.io/initial-events-end": "true" } },
  });
});

test("sendInitialEvents=false without a version shows only what is new", async () => {
  const api = await startApi();
  await create(api, "old", "red");
  const watching = await api.watch(`${maps}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
  await create(api, "new", "red");
  assert.deepEqual(await seen(watching), ["ADDED new"]);
});

test("a watch ends when its time is up; bookmarks come each minute and shortly before the end", async () => {
  const api = await startApi();
  const watching = await api.watch(`${maps}?watch=1&resourceVersion=${api.store.revision}&timeoutSeconds=150&allowWatchBookmarks=true`);
  await watching.settle();
  api.clock.advance(61_000);
  assert.deepEqual(await seen(watching), ["BOOKMARK"]);
  api.clock.advance(88_000);
  assert.deepEqual([await seen(watching), watching.ended], [["BOOKMARK", "BOOKMARK", "BOOKMARK"], false]);
  api.clock.advance(2_000);
  assert.equal(watching.ended, true);
});

test("without a timeout a watch ends within the hour, and nothing is left of it", async () => {
  const api = await startApi();
  const idle = api.clock.waiting;
  const watching = await api.watch(`${maps}?watch=1`);
  await watching.settle();
  api.clock.advance(29 * 60_000);
  assert.equal(watching.ended, false);
  api.clock.advance(31 * 60_000);
  assert.equal(watching.ended, true);
  api.clock.advance(1_000);
  assert.equal(api.clock.waiting, idle);
});

test("a version that is compacted answers 410 in the stream", async () => {
  const api = await startApi();
  await create(api, "a", "red");
  const old = api.store.revision;
  for (let i = 0; i < 5; i++) await create(api, `b${i}`, "red");
  await api.store.compact(api.store.revision);
  const watching = await api.watch(`${maps}?watch=1&resourceVersion=${old}`);
  await watching.settle();
  const [event] = watching.events;
  assert.equal(watching.ended, true);
  assert.deepEqual([event.type, event.object.code, event.object.reason], ["ERROR", 410, "Expired"]);
  assert.match(event.object.message, /^too old resource version: \d+ \(\d+\)$/);
});

test("both groups of Events watch one store, each in its own form", async () => {
  const api = await startApi();
  const core = await api.watch("/api/v1/namespaces/default/events?watch=1");
  const modern = await api.watch("/apis/events.k8s.io/v1/namespaces/default/events?watch=1");
  const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
  const body = { metadata: { name: "e" }, involvedObject, reason: "Started", message: "up", type: "Normal" };
  assert.equal((await api.send("POST", "/api/v1/namespaces/default/events", { body })).status, 201);
  await core.settle();
  assert.equal(core.events[0].object.message, "up");
  assert.deepEqual([modern.events[0].object.apiVersion, modern.events[0].object.note], ["events.k8s.io/v1", "up"]);
  assert.equal(core.events[0].object.metadata.resourceVersion, modern.events[0].object.metadata.resourceVersion);
});

test("closing the server ends every watch", async () => {
  const api = await startApi();
  const watching = await api.watch(`${maps}?watch=1`);
  await watching.settle();
  await api.server.close();
  assert.equal(watching.ended, true);
});

test("a watch without a resourceVersion sends a bookmark after existing objects if asked", async () => {
  const api = await startApi();
  await create(api, "a", "red");
  const watching = await api.watch(`${maps}?watch=1&allowWatchBookmarks=true`);
  assert.deepEqual(await seen(watching), ["ADDED a", "BOOKMARK"]);
  assert.deepEqual(watching.events[1].object.metadata.annotations, { "k8s.io/initial-events-end": "true" });
});

test("the older paths watch a collection or one object", async () => {
  const api = await startApi();
  const older = maps.replace("/api/v1", "/api/v1/watch");
  const all = await api.watch(`${older}?resourceVersion=${api.store.revision}`);
  const one = await api.watch(`${older}/a?resourceVersion=${api.store.revision}`);
  await create(api, "a", "red");
  await create(api, "b", "red");
  assert.deepEqual(await seen(all), ["ADDED a", "ADDED b"]);
  assert.deepEqual(await seen(one), ["ADDED a"]);
  const other = await api.send("GET", `${older}/a?fieldSelector=metadata.name%3Db`);
  assert.deepEqual([other.status, other.body.message], [400, "fieldSelector metadata.name doesn't match requested name"]);
  assert.equal((await api.send("POST", older, { body: { metadata: { name: "c" } } })).status, 405);
});

test("initial events from a version that is not reached are waited for, then answered with a timeout", async () => {
  const api = await startApi();
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999";
  const answer = api.send("GET", `${maps}?${query}`);
  const ticking = setInterval(() => api.clock.advance(100), 1);
  const { status, body } = await answer.finally(() => clearInterval(ticking));
  assert.deepEqual([status, body.details.causes[0].reason], [504, "ResourceVersionTooLarge"]);
});

const refused = [
  {
    query: "resourceVersionMatch=NotOlderThan",
    causes: ["Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"],
  },
  {
    query: "sendInitialEvents=true&resourceVersionMatch=Exact",
    causes: [
      "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      'Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
  },
  {
    query: "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
    causes: ["Forbidden: resourceVersionMatch is forbidden when continue is provided"],
  },
];
for (const { query, causes } of refused) {
  test(`a watch with ${query} is refused`, async () => {
    const { status, body } = await (await startApi()).send("GET", `${maps}?watch=1&${query}`);
    assert.deepEqual([status, body.details.causes.map(({ message }: Json) => message)], [422, causes]);
  });
}

test("a watch that begins with what is there takes no token of a list", async () => {
  const api = await startApi();
  for (const version of ["", "&resourceVersion=0"]) {
    const { status, body } = await api.send("GET", `${maps}?watch=1&continue=abc${version}`);
    assert.equal(status, 422);
    assert.match(body.message, /resourceVersionMatch is forbidden when continue is provided$/);
  }
  assert.equal((await api.watch(`${maps}?watch=1&continue=abc&resourceVersion=1`)).status, 200);
});

test("a watch whose time was up before it began says so", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: { metadata: { name: "a" } } });
  const watching = await api.watch(`${maps}?watch=1&timeoutSeconds=-1`);
  await watching.settle();
  assert.equal(watching.ended, true);
  assert.deepEqual(
    watching.events.map(({ type, object }) => [type, object.code, object.message]),
    [["ERROR", 500, "context deadline exceeded"]],
  );
});
