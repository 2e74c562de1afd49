/** A controller lives through each fault at each of its steps: it converges, and never makes one too many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LeadershipLostError, runControllers } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { copiesIn, shelf, shelves, startLibrary, stocking, until } from "./library.ts";

/** A watch that stalls unnoticed is given up after some ten minutes. */
const longTimeout = { timeoutMs: 1_800_000 };

const scenario =
  ({ leads, restMs }: { readonly leads: boolean; readonly restMs: number }): Scenario =>
  async ({ client, cluster, signal }) => {
    const stop = new AbortController();
    const end = AbortSignal.any([signal, stop.signal]);
    const election = leads ? { leaderElection: { lease: { namespace: "kube-system", name: "shelf" } } } : {};
    const run = async (): Promise<void> => {
      while (!end.aborted)
        await runControllers([stocking()], { client, signal: end, ...election }).catch((error: unknown) => {
          // Its process would end, and be started again.
          if (!(error instanceof LeadershipLostError)) throw error;
        });
    };
    const work = async (): Promise<void> => {
      await cluster.client.resource(shelves).create(shelf("novels", 3));
      await until(cluster, async () => (await copiesIn(cluster)).length >= 3);
      await cluster.client.resource(shelves).patch("novels", { type: "merge", patch: { spec: { copies: 5 } } });
      await cluster.waitFor(shelves, "novels", (object) => object?.status?.copies === 5, longTimeout);
      const made = await copiesIn(cluster);
      await sleep(cluster.clock, restMs);
      // None was one too many, or it would have been taken away by now.
      assert.deepEqual([made.length, await copiesIn(cluster)], [5, made]);
    };
    const running = run();
    await Promise.race([work(), running.then(() => assert.fail("the controller has ended"))]);
    stop.abort();
    await running;
  };

test("converges with each fault at each step", async () => {
  await using library = await startLibrary();
  const { runs } = await everyFaultAtEveryStep({ scenario: scenario({ leads: false, restMs: 660_000 }), from: library.snapshot() });
  assert.ok(runs > 100, `${runs} runs`);
});

test("converges with each fault at each step of electing a leader too", async () => {
  await using library = await startLibrary();
  const { runs } = await everyFaultAtEveryStep({ scenario: scenario({ leads: true, restMs: 3_000 }), from: library.snapshot() });
  assert.ok(runs > 100, `${runs} runs`);
});
