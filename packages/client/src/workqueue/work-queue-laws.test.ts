/** The queue against what client-go promises, with any sequence of adds, claims, releases and time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import fc from "fast-check";
import { exponentialBackoff } from "./rate-limiter.ts";
import { type Claim, createWorkQueue } from "./work-queue.ts";

const key = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key, low: fc.boolean() }),
  fc.record({ do: fc.constant("delay" as const), key, ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ do: fc.constant("work" as const) }),
  fc.record({ do: fc.constant("release" as const), nth: fc.nat(3), retry: fc.boolean() }),
  fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 40 }) }),
);

test("never two workers on a key, no add lost, nothing made up, no timer left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), async (steps) => {
      const clock = new ManualClock();
      const queue = createWorkQueue<string>({ clock, rateLimiter: exponentialBackoff() });
      const worker = queue.claims(new AbortController().signal);
      const out: Claim<string>[] = [];
      /** Keys that must be worked on (again), and when at the latest they must be ready. */
      const wanted = new Map<string, number>();
      const want = (key: string, at: number): void => void wanted.set(key, Math.min(wanted.get(key) ?? at, at));
      /** Of several delays of one key the one that ends first counts, as in client-go. */
      const later = new Map<string, number>();
      const delay = (key: string, at: number): void => void later.set(key, Math.min(later.get(key) ?? at, at));
      const failures = new Map<string, number>();

      const ripen = (): void => {
        for (const [key, at] of [...later]) {
          if (at > clock.monotonic()) continue;
          later.delete(key);
          want(key, at);
        }
      };
      const take = async (): Promise<void> => {
        const { value } = await worker.next();
        assert.ok(value !== undefined);
        assert.ok(!out.some((claim) => claim.key === value.key), "two workers on one key");
        assert.ok(wanted.delete(value.key), "this key was not added");
        assert.equal(value.failures, failures.get(value.key) ?? 0);
        out.push(value);
      };
      const release = (claim: Claim<string>, retry: boolean): void => {
        const before = failures.get(claim.key) ?? 0;
        if (retry) {
          claim.retry();
          delay(claim.key, clock.monotonic() + Math.min(5 * 2 ** before, 1_000_000));
        }
        failures.set(claim.key, retry ? before + 1 : 0);
        claim[Symbol.dispose]();
      };
      const ready = (): string[] => [...wanted.keys()].filter((key) => !out.some((claim) => claim.key === key));

      for (const one of steps) {
        if (one.do === "add") {
          queue.add(one.key, { priority: one.low ? "low" : "normal" });
          want(one.key, clock.monotonic());
        } else if (one.do === "delay") {
          queue.add(one.key, { afterMs: one.ms });
          delay(one.key, clock.monotonic() + one.ms);
        } else if (one.do === "work" && queue.stats.depth > 0) await take();
        else if (one.do === "release" && out.length > 0) for (const claim of out.splice(one.nth % out.length, 1)) release(claim, one.retry);
        else if (one.do === "advance") clock.advance(one.ms);
        ripen();
        assert.equal(queue.stats.depth, ready().length, "a key is lost, or waits twice");
        assert.ok(clock.waiting <= 1, "more than one timer");
        assert.equal(queue.stats.claimed, out.length);
      }
      for (const claim of out.splice(0)) release(claim, false);
      clock.advance(2_000_000);
      ripen();
      for (let taken = 0; queue.stats.depth > 0; taken++) {
        assert.ok(taken < 10_000, "the queue does not become empty");
        await take();
        for (const claim of out.splice(0)) release(claim, false);
      }
      assert.equal(wanted.size, 0, "an add was lost");
      assert.equal(clock.waiting, 0);
    }),
    { numRuns: 500 },
  );
});

test("of each priority, who waits longer comes first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 60 }), async (adds) => {
      const queue = createWorkQueue<number>({ clock: new ManualClock() });
      const normal = new Set<number>();
      const low = new Set<number>();
      for (const [key, isLow] of adds) {
        queue.add(key, { priority: isLow ? "low" : "normal" });
        if (isLow && !normal.has(key)) low.add(key);
        if (!isLow) {
          low.delete(key);
          normal.add(key);
        }
      }
      const worker = queue.claims(new AbortController().signal);
      const order: number[] = [];
      while (queue.stats.depth > 0) {
        assert.ok(order.length <= adds.length, "the queue does not become empty");
        order.push((await worker.next()).value?.key ?? -1);
      }
      assert.deepEqual(
        order.filter((key) => normal.has(key)),
        [...normal],
      );
      assert.deepEqual(
        order.filter((key) => low.has(key)),
        [...low],
      );
      assert.equal(order.length, normal.size + low.size);
    }),
    { numRuns: 200 },
  );
});
