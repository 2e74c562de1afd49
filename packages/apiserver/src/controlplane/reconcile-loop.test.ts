import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { ReconcileLoop } from "./reconcile-loop.ts";

function loopOf(reconcile: (run: number) => void | Promise<void>) {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const log = { debug: ignore, info: ignore, error: ignore, warn: (_: object, text: string) => void warnings.push(text) };
  let runs = 0;
  const loop = new ReconcileLoop({ clock, log, what: "things" }, async () => {
    runs += 1;
    await reconcile(runs);
  });
  const settled = (): Promise<void> => quiescence({ clock, observe: () => [runs, warnings.length] });
  return { clock, loop, warnings, settled, runs: () => runs };
}

test("what is triggered while it runs is run once more", async () => {
  const { loop, runs, settled } = loopOf((run) => {
    if (run === 1) for (let i = 0; i < 3; i++) loop.trigger();
  });
  loop.trigger();
  await settled();
  assert.equal(runs(), 2);
  loop.trigger();
  await settled();
  assert.equal(runs(), 3);
});

test("a run that fails is repeated after a while", async () => {
  const { clock, loop, runs, warnings, settled } = loopOf((run) => {
    if (run === 1) throw new Error("no");
  });
  loop.trigger();
  await settled();
  assert.deepEqual([runs(), warnings], [1, ["failed to reconcile"]]);
  clock.advance(10_000);
  await settled();
  assert.equal(runs(), 2);
});

test("whoever undoes each run does not keep it busy, and an end is an end", async () => {
  const { clock, loop, runs, settled } = loopOf(() => loop.trigger());
  loop.trigger();
  await settled();
  assert.equal(runs(), 100);
  clock.advance(1_000);
  await settled();
  assert.ok(runs() > 100 && runs() <= 201, String(runs()));
  await loop[Symbol.asyncDispose]();
  const atTheEnd = runs();
  loop.trigger();
  await settled();
  assert.equal(runs(), atTheEnd);
});
