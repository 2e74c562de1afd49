/** resourceVersions, continue tokens and bookmarks of one server mean the same on another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { quiescence } from "@coxswain/machinery/testing";
import type { Answer, Json } from "../api.ts";
import { type Server, startTwo, type TwoServers } from "./two-servers.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

async function create({ send }: Server, name: string): Promise<string> {
  const { status, body, text } = await send("POST", configMaps, { body: { metadata: { name } } });
  assert.equal(status, 201, text);
  return body.metadata.resourceVersion;
}

const namesOf = ({ body }: Answer): string[] => body.items.map(({ metadata }: Json) => metadata.name);

/** One has written, the other has not seen it, and will not by itself. */
async function apart(names: readonly string[]): Promise<TwoServers & { readonly version: string }> {
  const both = await startTwo();
  both.two.store.hold();
  let version = "";
  for (const name of names) version = await create(both.one, name);
  assert.ok(Number(version) > both.two.store.revision);
  return { ...both, version };
}

const reads = [
  { name: "a get at a version", target: (v: string) => `${configMaps}/a?resourceVersion=${v}` },
  { name: "a list not older than a version", target: (v: string) => `${configMaps}?resourceVersion=${v}` },
  { name: "a list exactly at a version", target: (v: string) => `${configMaps}?resourceVersion=${v}&resourceVersionMatch=Exact` },
];
for (const { name, target } of reads) {
  test(`${name} that another server gave out is answered as soon as it is asked for`, async () => {
    const { two, version } = await apart(["a"]);
    const { status, text } = await two.send("GET", target(version));
    assert.equal(status, 200, text);
    assert.match(text, /"name":"a"/);
  });

  test(`${name} that no server has come to waits three seconds, and is answered with a 504`, async () => {
    const { two, shared } = await apart(["a"]);
    const asked = shared.revision + 100;
    const answering = two.send("GET", target(`${asked}`));
    await quiescence({ clock: two.clock });
    let answer: Answer | undefined;
    void answering.then((it) => (answer = it));
    for (let waited = 0; waited < 2_900; waited += 50) {
      two.clock.advance(50);
      await quiescence();
    }
    assert.equal(answer, undefined);
    two.clock.advance(200);
    const { status, body } = await answering;
    assert.equal(status, 504);
    assert.equal(body.message, `Timeout: Too large resource version: ${asked}, current: ${shared.revision}`);
    assert.deepEqual(body.details, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    });
  });
}

test("a list that names no version shows what another server has acknowledged, one of version 0 may not", async () => {
  const { two } = await apart(["a"]);
  assert.deepEqual(namesOf(await two.send("GET", `${configMaps}?resourceVersion=0`)), []);
  assert.deepEqual(namesOf(await two.send("GET", configMaps)), ["a"]);
});

test("a list goes on at another server where the page before it ended, in the same state", async () => {
  const { one, two } = await apart(["a", "b", "c"]);
  const first = await one.send("GET", `${configMaps}?limit=1`);
  await create(one, "aa");
  const next = await two.send("GET", `${configMaps}?limit=1&continue=${encodeURIComponent(first.body.metadata.continue)}`);
  assert.deepEqual([namesOf(first), namesOf(next)], [["a"], ["b"]]);
  assert.equal(next.body.metadata.resourceVersion, first.body.metadata.resourceVersion);
  assert.equal(next.body.metadata.remainingItemCount, 1);
});

test("a watch that begins at a version of the future sees what comes after it, and nothing twice", async () => {
  const { one, two, version } = await apart(["a", "b"]);
  const watching = await two.watch(`${configMaps}?watch=true&resourceVersion=${version}`);
  two.store.release();
  await create(one, "c");
  await watching.settle();
  assert.deepEqual(
    watching.events.map(({ type, object }) => [type, object.metadata.name]),
    [["ADDED", "c"]],
  );
});

test("a watch goes on at another server behind the last event of the first, without a gap", async () => {
  const { one, two, version } = await apart(["a"]);
  const first = await one.watch(`${configMaps}?watch=true&resourceVersion=${Number(version) - 1}`);
  await create(one, "b");
  await first.settle();
  const last = first.events.at(-1).object.metadata.resourceVersion;
  await create(one, "c");
  const second = await two.watch(`${configMaps}?watch=true&resourceVersion=${last}`);
  await create(one, "d");
  two.store.release();
  await second.settle();
  assert.deepEqual(
    [...first.events.slice(0, 2), ...second.events].map(({ object }) => object.metadata.name),
    ["a", "b", "c", "d"],
  );
});

test("the bookmark that ends initial events has a version at which all of them are there", async () => {
  const { two, version } = await apart(["a", "b"]);
  const query = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
  for (const from of ["", version]) {
    const watching = await two.watch(`${configMaps}?${query}&resourceVersion=${from}`);
    await watching.settle();
    const [bookmark, ...more] = watching.events.filter(({ type }) => type === "BOOKMARK");
    assert.equal(more.length, 0);
    assert.ok(Number(bookmark.object.metadata.resourceVersion) >= Number(version));
    assert.deepEqual(bookmark.object.metadata.annotations, { "k8s.io/initial-events-end": "true" });
    const added = watching.events.filter(({ type }) => type === "ADDED");
    assert.deepEqual(added.map(({ object }) => object.metadata.name).sort(), ["a", "b"]);
  }
});

test("no bookmark says a version that the watch has not come to", async () => {
  const { one, two, version } = await apart(["a"]);
  const watching = await two.watch(`${configMaps}?watch=true&allowWatchBookmarks=true&resourceVersion=${version}`);
  two.clock.advance(61_000);
  await watching.settle();
  assert.deepEqual(watching.events, []);
  two.store.release();
  await create(one, "b");
  two.clock.advance(61_000);
  await watching.settle();
  assert.deepEqual(
    watching.events.map(({ type }) => type),
    ["ADDED", "BOOKMARK"],
  );
});
