import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { createMemoryStore } from "../memory/memory-store.ts";
import { compactRegularly } from "./compact-regularly.ts";
import { CompactedError } from "./store.ts";

const minute = 60_000;

async function setUp(everyMs: number) {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock });
  const failures: unknown[] = [];
  const compaction = compactRegularly(store, { everyMs, clock, onError: (error) => failures.push(error) });
  let written = 0;
  const write = () => store.write({ op: "put", key: `/${written++}`, value: new Uint8Array(1), expect: "absent" });
  return { clock, store, compaction, failures, write };
}

test("a revision can be read for one to two intervals", async () => {
  const { clock, store, write } = await setUp(5 * minute);
  await write();
  const { revision } = store;
  await write();
  await clock.advance(5 * minute);
  await store.list("/", { at: revision });
  await write();
  await clock.advance(5 * minute);
  await assert.rejects(async () => await store.list("/", { at: revision }), CompactedError);
});

test("the newest revision stays where nothing is written", async () => {
  const { clock, store, write, failures } = await setUp(5 * minute);
  await write();
  await clock.advance(60 * minute);
  await store.list("/", { at: store.revision });
  assert.deepEqual(failures, []);
});

test("0 forgets nothing, nor does one that was ended", async () => {
  for (const [everyMs, ends] of [
    [0, false],
    [minute, true],
  ] as const) {
    const { clock, store, compaction, write } = await setUp(everyMs);
    await write();
    const { revision } = store;
    if (ends) compaction[Symbol.dispose]();
    for (let i = 0; i < 5; i++) {
      await write();
      await clock.advance(5 * minute);
    }
    await store.list("/", { at: revision });
  }
});
