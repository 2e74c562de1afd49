import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { createMemoryStore, type Revision } from "@coxswain/store";
import { KeyedReconcileLoop } from "./keyed-reconcile-loop.ts";

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

test("keys that are due are reconciled once each, with what was marked last", async () => {
  const seen: string[] = [];
  await using loop = new KeyedReconcileLoop<string>({ clock: new ManualClock(), log, what: "things" }, async (key, about) => {
    seen.push(`${key}=${about}`);
  });
  loop.trigger();
  await quiescence({ observe: () => seen.length });
  assert.deepEqual(seen, []);
  loop.mark("a", "old");
  loop.mark("a", "new");
  loop.markUnlessDue("a", "ignored");
  loop.markUnlessDue("b", "first");
  loop.trigger();
  await quiescence({ observe: () => seen.length });
  assert.deepEqual(seen, ["a=new", "b=first"]);
});

test("a key whose reconcile failed stays due, unless it was marked again", async () => {
  const clock = new ManualClock();
  const seen: string[] = [];
  await using loop = new KeyedReconcileLoop<number>({ clock, log, what: "things" }, async (key, about) => {
    seen.push(`${key}=${about}`);
    if (about === 1) throw new Error("not yet");
    if (key === "b" && about === 2) {
      loop.mark("b", 3);
      throw new Error("not yet");
    }
  });
  loop.mark("a", 1);
  loop.mark("b", 2);
  loop.mark("c", 4);
  loop.trigger();
  await quiescence({ clock, observe: () => seen.length });
  assert.deepEqual(seen.splice(0), ["a=1", "b=2", "c=4"]);
  clock.advance(10_000);
  await quiescence({ clock, observe: () => seen.length });
  assert.deepEqual(seen.toSorted(), ["a=1", "b=3"]);
});

test("each version that a change shows is marked", async () => {
  const store = createMemoryStore({ clock: new ManualClock() });
  const marked: string[] = [];
  await using loop = new KeyedReconcileLoop<undefined>({ clock: new ManualClock(), log, what: "things" }, async (key) => {
    marked.push(key);
  });
  const text = (value: Uint8Array): string => Buffer.from(value).toString();
  loop.follow({ store, prefix: "/things/", after: store.revision }, ({ value }) => loop.mark(text(value), undefined));
  const put = (value: string, expect: "absent" | Revision) =>
    store.write({ op: "put", key: "/things/a", value: Buffer.from(value), expect }, { user: "tester" });
  await put("one", "absent");
  await put("two", store.revision);
  await quiescence({ observe: () => marked.length });
  assert.deepEqual([...new Set(marked)], ["one", "two"]);
});
