/** The one promise: with clocks that differ within bounds, and a network that does what it likes, there are never two. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, ManualClock, type RandomSource } from "@coxswain/machinery";
import fc from "fast-check";
import { createClient } from "../client/create-client.ts";
import { fairWeather, LeaseServer } from "./lease-server-under-test.ts";
import { runAsLeader } from "./run-as-leader.ts";
import type { Term } from "./term.ts";

/** A machine whose time runs faster or slower, and whose calendar is anything. */
const drifting = (clock: Clock, rate: number, offsetMs: number): Clock => ({
  now: () => clock.now() * rate + offsetMs,
  monotonic: () => clock.monotonic() * rate,
  schedule: (afterMs, fn) => clock.schedule(afterMs / rate, fn),
});

function dice(seed: number): RandomSource {
  let state = seed | 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, uuid: () => `${next()}` };
}

const chance = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
const weather = fc.oneof(
  fc.record({ delayMs: fc.integer({ min: 0, max: 4_900 }) }),
  fc.record({ lost: chance, answerLost: chance, delayMs: fc.integer({ min: 0, max: 4_000 }) }),
  fc.record({ stuck: chance, stuckMs: fc.integer({ min: 0, max: 40_000 }) }),
);
/** Each has its own way to the server. Of the fastest clock to the slowest a ratio below that of leaseDuration to renewDeadline, 1.5. */
const machine = fc.record({
  days: fc.array(weather, { minLength: 4, maxLength: 4 }),
  rate: fc.double({ min: 0.82, max: 1.2, noNaN: true }),
  offsetMs: fc.integer({ min: -1e9, max: 1e9 }),
});

test("never two leaders at once, and always one again when the weather clears", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(machine, { minLength: 2, maxLength: 4 }), fc.nat(), async (machines, seed) => {
      const clock = new ManualClock();
      const random = dice(seed);
      const server = new LeaseServer(clock, random);
      const stop = new AbortController();
      let day = 0;
      const terms: Term[] = [];
      const tokens: bigint[] = [];

      const candidates = machines.map(async ({ rate, offsetMs, days }, i) => {
        const client = createClient({
          transport: server.transport(() => ({ ...fairWeather, ...days[day] })),
          clock: drifting(clock, rate, offsetMs),
          random,
        });
        while (!stop.signal.aborted) {
          await runAsLeader(
            { client, lease: { namespace: "x", name: "lock" }, identity: `candidate-${i}`, signal: stop.signal },
            async (term) => {
              assert.ok(
                terms.every((other) => other.isOver),
                "two lead at once",
              );
              assert.ok(
                tokens.every((token) => token < term.token),
                "a token that is not the greatest",
              );
              terms.push(term);
              tokens.push(term.token);
              await new Promise<void>((resolve) => term.signal.addEventListener("abort", () => resolve(), { once: true }));
            },
          ).catch((error: unknown) => {
            if (error instanceof assert.AssertionError) throw error;
          });
        }
      });
      const all = Promise.all(candidates);
      let failure: unknown;
      all.catch((error: unknown) => {
        failure = error;
      });

      const pass = async (ms: number): Promise<void> => {
        for (let past = 0; past < ms; past += 500) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          clock.advance(500);
          assert.ok(terms.filter((term) => !term.isOver).length <= 1, "two lead at once");
          if (failure !== undefined) throw failure;
        }
      };
      for (; day < 4; day++) await pass(45_000);
      await pass(45_000);
      assert.equal(terms.filter((term) => !term.isOver).length, 1, "there is no leader");
      stop.abort();
      await pass(30_000);
      await all;
      assert.equal(clock.waiting, 0);
    }),
    { numRuns: 80 },
  );
});
