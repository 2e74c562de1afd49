import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { createCycleState } from "../framework/cycle-state.ts";
import { newPodInfo } from "../framework/new-pod-info.ts";
import { handleOf } from "../plugins/volumes/objects-under-test.ts";
import { bounded } from "./bounded-plugin.ts";

const pod = newPodInfo({ metadata: { name: "p" }, spec: { containers: [] } });
const { signal } = new AbortController();

test("a plugin that exceeds its time limit fails, and its signal is aborted", async () => {
  const handle = handleOf();
  let aborted: unknown;
  const plugin = bounded(
    () => ({
      name: "Slow",
      filter: () => undefined,
      preBind: (_state, _pod, _node, stop) => {
        stop.addEventListener("abort", () => {
          aborted = stop.reason;
        });
        return new Promise(() => undefined);
      },
    }),
    5_000,
  )({}, handle);
  assert.equal(plugin.filter?.(createCycleState(), pod, {} as never), undefined);
  assert.equal(plugin.bind, undefined);
  const ending = plugin.preBind?.(createCycleState(), pod, "n", signal);
  const { clock } = handle.client;
  assert.ok(clock instanceof ManualClock);
  await clock.advance(5_000);
  const reason = 'preBind of plugin "Slow" did not end within 5 s';
  assert.deepEqual(await ending, { code: "Error", reasons: [reason] });
  assert.equal((aborted as Error).message, reason);
});

test("one that answers is left alone", async () => {
  const handle = handleOf();
  const plugin = bounded(() => ({ name: "Quick", bind: async () => "bound" }), 5_000)({}, handle);
  assert.equal(await plugin.bind?.(createCycleState(), pod, "n", signal), "bound");
});

test("a plugin may be the instance of a class", () => {
  class Counting {
    readonly name = "Counting";
    #calls = 0;
    score(): number {
      this.#calls++;
      return this.#calls;
    }
  }
  const plugin = bounded(() => new Counting(), 5_000)({}, handleOf());
  assert.deepEqual(
    [1, 2].map(() => plugin.score?.(createCycleState(), pod, {} as never)),
    [1, 2],
  );
});
