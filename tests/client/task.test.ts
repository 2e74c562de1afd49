import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, events, runControllers, type Task } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { startLibrary, stocking, until } from "./library.ts";

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

test("a task runs beside the controllers, with their caches and its own name in Events, until they are stopped", async () => {
  await using cluster = await startLibrary();
  const { client } = cluster;
  await client.resource(configMaps).create({ metadata: { name: "novels" } });
  const stop = new AbortController();
  const said: string[] = [];
  const counting: Task = {
    name: "counting",
    component: "counter",
    run: async ({ informers, events }, signal) => {
      using lease = informers.use(configMaps);
      await informers.synced({ signal });
      const [first] = lease.informer.lister.list();
      assert.ok(first);
      events.record(first, { type: "Normal", reason: "Counted", message: "this is the first" }, configMaps);
      await untilAborted(signal);
      said.push("ended");
    },
  };
  const run = runControllers([stocking(), counting], { client, signal: stop.signal });
  await until(cluster, async () => (await client.resource(events).list()).items.length > 0);
  const [event] = (await client.resource(events).list()).items;
  assert.deepEqual([event?.source?.component, event?.reason], ["counter", "Counted"]);
  stop.abort();
  await run;
  assert.deepEqual(said, ["ended"]);
});

test("a task that fails ends what runs beside it; one that has nothing left to do does not", async () => {
  await using cluster = await startLibrary();
  const { client, clock } = cluster;
  const said: string[] = [];
  const short: Task = { name: "short", run: async () => void said.push("nothing to do") };
  const failing: Task = {
    name: "failing",
    run: async () => {
      await sleep(clock, 10_000);
      throw new Error("the graph is broken");
    },
  };
  const long: Task = { name: "long", run: (_, signal) => untilAborted(signal).then(() => void said.push("stopped")) };
  const run = runControllers([short, failing, long], { client, signal: new AbortController().signal });
  await assert.rejects(run, { message: "the graph is broken" });
  assert.deepEqual(said, ["nothing to do", "stopped"]);
});
