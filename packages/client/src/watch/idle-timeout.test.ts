import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { WatchInterruption } from "../contracts/watch-event.ts";
import { configMaps } from "../resources/built-in.ts";
import { scriptedClient } from "../rest/scripted-transport.ts";
import { bookmark, line, object, watchAnswer } from "./watch-script.ts";

const quiet = (...lines: string[]) => watchAnswer(lines, "silence");
const started = [line("ADDED", object("a", 1)), bookmark(2, true)];

test("a watch without the bookmarks that it used to have goes on by another connection", async () => {
  const clock = new ManualClock();
  const script = [quiet(...started, bookmark(3)), quiet(), quiet(bookmark(4))];
  const { client, transport } = scriptedClient((_, count) => script[count - 1] ?? quiet(), { clock });
  const interruptions: string[] = [];
  const watch = client
    .resource(configMaps)
    .watch({ onInterrupted: ({ error }) => interruptions.push(String(error)) })
    [Symbol.asyncIterator]();
  await watch.next();
  await watch.next();
  const next = watch.next();
  const pass = async (ms: number) => {
    clock.advance(ms);
    await quiescence({ clock });
  };
  await quiescence({ clock });
  await pass(149_999);
  assert.deepEqual([interruptions, transport.requests.length], [[], 1]);
  await pass(1);
  assert.deepEqual(interruptions, ["ConnectionError: nothing of the watch has come for 150 s"]);
  await pass(800);
  // The second connection has to show first that it has any.
  for (let i = 0; i < 2; i++) await pass(150_000);
  assert.equal(transport.requests.length, 2);
  await pass(30_000);
  await pass(1_600);
  assert.deepEqual((await next).value, { type: "BOOKMARK", resourceVersion: "4" });
  await watch.return?.();
  assert.equal(clock.waiting, 0);
});

test("a watch that outlives the time it asked for counts as dead", async () => {
  const clock = new ManualClock();
  const { client, transport } = scriptedClient((_, count) => (count === 1 ? quiet(...started) : quiet(bookmark(3))), { clock });
  const interruptions: WatchInterruption[] = [];
  const watch = client
    .resource(configMaps)
    .watch({ onInterrupted: (i) => interruptions.push(i) })
    [Symbol.asyncIterator]();
  await watch.next();
  const next = watch.next();
  for (const passes of [329_999, 1, 800]) {
    clock.advance(passes);
    await quiescence({ clock });
  }
  assert.deepEqual((await next).value, { type: "BOOKMARK", resourceVersion: "3" });
  assert.match(String(interruptions[0]?.error), /the watch took longer than 330 s/);
  assert.equal(transport.requests.length, 2);
  await watch.return?.();
});
