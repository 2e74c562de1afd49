/** A controller whose objects get their names from the server, so that whoever acts on the past makes too many (tests/client/library.ts). */
import assert from "node:assert/strict";
import { sleep, startControllers } from "@coxswain/client";
import type { Scenario, TestCluster } from "coxswain/testing";
import { copiesIn, shelf, shelves, stocking, until } from "../../client/library.ts";
import { type FaultChoice, lateMs } from "./fault-choice.ts";
import { keepRunning } from "./keep-running.ts";

const longTimeout = { timeoutMs: 14_400_000 };

async function useShelf(cluster: TestCluster): Promise<void> {
  const resource = cluster.client.resource(shelves);
  await resource.create(shelf("novels", 2));
  await cluster.waitFor(shelves, "novels", ({ status }) => status?.copies === 2, longTimeout);
  await resource.patch("novels", { type: "merge", patch: { spec: { copies: 4 } } });
  await cluster.waitFor(shelves, "novels", ({ status }) => status?.copies === 4, longTimeout);
  await resource.patch("novels", { type: "merge", patch: { spec: { copies: 3 } } });
  await cluster.waitFor(shelves, "novels", ({ status }) => status?.copies === 3, longTimeout);
  // One that arrives late is one too many, until the controller has seen it.
  await sleep(cluster.clock, lateMs);
  await until(cluster, async () => (await copiesIn(cluster)).length === 3);
  await sleep(cluster.clock, lateMs);
  assert.equal((await copiesIn(cluster)).length, 3);
}

export function shelfScenario(faultChoice: FaultChoice): Scenario {
  return async ({ client, cluster, signal }) => {
    faultChoice.begin();
    const stop = new AbortController();
    const start = (own: typeof client) => startControllers([stocking()], { client: own, syncTimeoutMs: longTimeout.timeoutMs });
    const running = keepRunning({ name: "shelf", faultChoice, client, start }, AbortSignal.any([signal, stop.signal]));
    await Promise.race([useShelf(cluster), running.then(() => assert.fail("the controller has ended"))]);
    stop.abort();
    await running;
  };
}
