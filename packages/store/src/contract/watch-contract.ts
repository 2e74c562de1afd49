import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import type { Revision, Store, WatchBatch } from "../storage/store.ts";
import { manualClock } from "./manual-clock.ts";
import { bytesOf, type PlainEvent, plainEvent } from "./model.ts";
import type { OpenStore } from "./store-contract.ts";

const rev = (n: number) => n as Revision;
const create = (store: Store, key: string) => store.write({ op: "put", key, value: bytesOf(key), expect: "absent" });
const keys = ({ revision, events }: WatchBatch) => [revision, ...events.map((event) => plainEvent(event).key)];

/** Reads events until there are so many. */
async function take(watch: AsyncIterable<WatchBatch>, count: number): Promise<PlainEvent[]> {
  const events: PlainEvent[] = [];
  for await (const batch of watch) {
    events.push(...batch.events.map(plainEvent));
    if (events.length >= count) break;
  }
  return events;
}

export function watchContract(driver: string, open: OpenStore): void {
  suite(`${driver}: watches`, { concurrency: true }, () => {
    testWatches(open);
    testSubscriptions(open);
  });
}

function testWatches(open: OpenStore): void {
  test("go on from any revision, without a gap between past and present", async () => {
    await using store = await open({ clock: manualClock() });
    for (const key of ["/a/1", "/b/1", "/a/2"]) await create(store, key);
    const watches = [1, 2, 3, 4].map((after) =>
      take(store.watch("/a/", { after: rev(after), signal: AbortSignal.timeout(hangMs) }), after < 2 ? 3 : after < 4 ? 2 : 1),
    );
    await store.write({ op: "delete", key: "/a/1", expect: rev(2) });
    const seen = (await Promise.all(watches)).map((events) => events.map(({ revision }) => revision));
    assert.deepEqual(seen, [[2, 4, 5], [4, 5], [4, 5], [5]]);
  });

  test("say what was there before", async () => {
    await using store = await open({ clock: manualClock() });
    await create(store, "/a");
    await store.write({ op: "put", key: "/a", value: bytesOf("2"), expect: rev(2) });
    await store.write({ op: "delete", key: "/a", expect: rev(3) });
    const one = { key: "/a", value: "/a", created: 2, modified: 2 };
    const two = { key: "/a", value: "2", created: 2, modified: 3 };
    assert.deepEqual(await take(store.watch("/a", { after: rev(1), signal: AbortSignal.timeout(hangMs) }), 3), [
      { key: "/a", revision: 2, entry: one, previous: undefined },
      { key: "/a", revision: 3, entry: two, previous: one },
      { key: "/a", revision: 4, entry: undefined, previous: two },
    ]);
  });

  test("end quietly when aborted, and when the store is closed", async () => {
    const store = await open({ clock: manualClock() });
    const abort = new AbortController();
    const aborted = take(store.watch("/", { after: rev(1), signal: abort.signal }), 1);
    const closed = take(store.watch("/", { after: rev(1), signal: new AbortController().signal }), 1);
    abort.abort();
    assert.deepEqual(await aborted, []);
    await store[Symbol.asyncDispose]();
    assert.deepEqual(await closed, []);
    assert.deepEqual(await take(store.watch("/", { after: rev(1), signal: abort.signal }), 1), []);
  });

  test("fail when the history they need is gone, at the start or because they are slow", async () => {
    await using store = await open({ clock: manualClock() });
    const { signal } = new AbortController();
    await create(store, "/a");
    const slow = store.watch("/", { after: rev(1), signal })[Symbol.asyncIterator]();
    assert.deepEqual(keys((await slow.next()).value), [2, "/a"]);
    for (const key of ["/b", "/c", "/d"]) await create(store, key);
    await store.compact(rev(4));
    await assert.rejects(slow.next(), { name: "CompactedError", asked: 2, oldest: 4 });
    await assert.rejects(
      store
        .watch("/", { after: rev(3), signal })
        [Symbol.asyncIterator]()
        .next(),
      { name: "CompactedError" },
    );
  });
}

function testSubscriptions(open: OpenStore): void {
  test("notify subscribers in the turn in which a write becomes visible, before the writer", async () => {
    await using store = await open({ clock: manualClock() });
    const order: string[] = [];
    using _ = store.subscribe("/", { after: rev(1) }, ({ revision }) => order.push(`event ${revision}, store at ${store.revision}`));
    await create(store, "/a").then(({ revision }) => order.push(`written ${revision}`));
    assert.deepEqual(order, ["event 2, store at 2", "written 2"]);
  });

  test("deliver what was missed before `subscribe` returns, marked with the revision that is reached", async () => {
    await using store = await open({ clock: manualClock() });
    for (const key of ["/a/1", "/b/1", "/a/2", "/b/2"]) await create(store, key);
    const batches: unknown[] = [];
    for (const after of [1, 2, 4, 5]) store.subscribe("/a/", { after: rev(after) }, (batch) => batches.push(keys(batch)))[Symbol.dispose]();
    assert.deepEqual(batches, [[5, "/a/1", "/a/2"], [5, "/a/2"], [5]]);
  });

  test("reach exactly the subscribers whose prefix fits", async () => {
    await using store = await open({ clock: manualClock() });
    const prefixes = ["", "/", "/a", "/a/", "/a/x", "/a/xy", "/ab", "/b/"];
    const seen = new Map<string, string[]>(prefixes.map((prefix) => [prefix, []]));
    const subscriptions = prefixes.map((prefix) =>
      store.subscribe(prefix, { after: rev(1) }, ({ events }) => seen.get(prefix)?.push(...events.map((event) => plainEvent(event).key))),
    );
    const written = ["/a", "/a/x", "/a/xyz", "/ab", "/abc", "/b", "/b/x", "/c", "z"];
    for (const key of written) await create(store, key);
    for (const prefix of prefixes)
      assert.deepEqual(
        seen.get(prefix),
        written.filter((key) => key.startsWith(prefix)),
        prefix,
      );
    for (const subscription of subscriptions) subscription[Symbol.dispose]();
    await create(store, "/a/xyzz");
    for (const prefix of prefixes) assert.equal(seen.get(prefix)?.includes("/a/xyzz"), false);
  });

  test("stay in order for all subscribers when one writes, subscribes or leaves", async () => {
    await using store = await open({ clock: manualClock() });
    const seen: Record<"writer" | "other" | "late", number[]> = { writer: [], other: [], late: [] };
    const note = (who: keyof typeof seen, { events }: WatchBatch) => seen[who].push(...events.map((event) => plainEvent(event).revision));
    const follow: Promise<unknown>[] = [];
    using writer = store.subscribe("/", { after: rev(1) }, (batch) => {
      note("writer", batch);
      if (batch.revision >= 4) return writer[Symbol.dispose]();
      follow.push(create(store, `/follow-${batch.revision}`));
      if (batch.revision === 2) store.subscribe("/", { after: rev(1) }, (late) => note("late", late));
    });
    using _ = store.subscribe("/", { after: rev(1) }, (batch) => note("other", batch));
    await create(store, "/first");
    await follow[0];
    await Promise.all(follow);
    await create(store, "/last");
    assert.deepEqual(seen, { writer: [2, 3, 4], other: [2, 3, 4, 5], late: [2, 3, 4, 5] });
  });

  test("receive progress now and then when no event is theirs", async () => {
    const clock = manualClock();
    await using store = await open({ clock });
    const batches: unknown[] = [];
    using _ = store.subscribe("/a/", { after: rev(1) }, (batch) => batches.push(keys(batch)));
    await create(store, "/b/1");
    assert.deepEqual(batches, []);
    clock.advance(60_000);
    assert.deepEqual(batches, [[2]]);
  });
}
