import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../contract/manual-clock.ts";
import { storeContract } from "../contract/store-contract.ts";
import type { Store } from "../storage/store.ts";
import { createSharedMemory } from "./shared-memory.ts";

storeContract("one of several in memory", async (options) => createSharedMemory().open(options), { runs: 20 });
storeContract("one of several in memory that sees late", async (options) => createSharedMemory().open({ ...options, delay: turn }), {
  runs: 20,
});

/** A declaration, for the suite above calls it. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const value = (text: string): Uint8Array => Buffer.from(text);
const put = (store: Store, key: string, text: string) =>
  store.write({ op: "put", key, value: value(text), expect: "absent" }, { user: text });

function two() {
  const shared = createSharedMemory();
  const clock = manualClock();
  return { shared, one: shared.open({ clock }), two: shared.open({ clock }) };
}

test("one sees what the other writes at once, unless it is held", async () => {
  const { one, two: other } = two();
  await put(one, "/a", "1");
  assert.equal((await other.get("/a")).entry?.modified, one.revision);
  other.hold();
  await put(one, "/b", "2");
  assert.equal((await other.get("/b")).entry, undefined);
  await other.freshen();
  assert.equal((await other.get("/b")).entry?.modified, one.revision);
  assert.deepEqual(
    (await other.history("/b")).map(({ note }) => note?.user),
    ["2"],
  );
});

test("one that is held is refused what the other was first to write, and has seen it then", async () => {
  const { one, two: other } = two();
  other.hold();
  await put(one, "/a", "1");
  const refused = await put(other, "/a", "2");
  assert.equal(refused.ok, false);
  assert.equal((await other.get("/a")).entry?.modified, one.revision);
});

test("what was missed comes as one batch, before what is written here", async () => {
  const { one, two: other } = two();
  const batches: number[] = [];
  other.subscribe("/", { after: other.revision }, ({ events }) => void batches.push(events.length));
  other.hold();
  await put(one, "/a", "1");
  await put(one, "/b", "2");
  await put(other, "/c", "3");
  assert.deepEqual(batches, [2, 1]);
});

test("one with a delay sees what the other writes after it, and its own when it is answered, which the other may see before", async () => {
  const shared = createSharedMemory();
  const clock = manualClock();
  const gate = Promise.withResolvers<void>();
  const [one, late] = [shared.open({ clock }), shared.open({ clock, delay: () => gate.promise })];
  await put(one, "/a", "1");
  assert.equal((await late.get("/a")).entry, undefined);
  const writing = put(late, "/b", "2");
  const refreshing = late.freshen();
  assert.equal((await one.get("/b")).entry, undefined);
  gate.resolve();
  await refreshing;
  assert.equal((await late.get("/a")).entry?.modified, 2);
  assert.equal((await writing).revision, late.revision);
});
