/**
 * Several writers and watchers at once, and faults of all kinds among them: writes are linearizable, and watches and
 * caches miss nothing, repeat nothing and keep the order. `COXSWAIN_FAULTS=all` tries a thousand plans.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, configMaps, createInformerSet, sleep } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { everyFault, type FaultRule, FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import fc from "fast-check";
import { propertyRuns } from "../scope.ts";
import { type ConfigMap, type Delivered, type Event, History, versionOf } from "./traffic/history.ts";
import { type Act, acts, write } from "./traffic/writer.ts";

const numRuns = process.env.COXSWAIN_FAULTS === "all" ? 1_000 : propertyRuns(60);

interface Plan {
  readonly writers: readonly (readonly Act[])[];
  readonly faults: readonly FaultRule[];
}

const fault = fc.constantFrom(...Object.values(everyFault));
/** At a step whatever it is, or at one that the fault can hit. */
const rule: fc.Arbitrary<FaultRule> = fc.oneof(
  fc.record({ step: fc.integer({ min: 1, max: 150 }), fault }),
  fc.record({ nth: fc.integer({ min: 1, max: 30 }), fault }),
);
const plans: fc.Arbitrary<Plan> = fc.record({
  writers: fc.array(acts, { minLength: 2, maxLength: 4 }),
  faults: fc.array(rule, { maxLength: 40, size: "max" }),
});

const selections = [
  { labelSelector: "", selects: () => true },
  { labelSelector: "odd=true", selects: ({ metadata }: ConfigMap) => metadata?.labels?.odd === "true" },
];

/** The answers to one of them, in order. */
function follow(client: Client, labelSelector: string, signal: AbortSignal): { readonly events: Event[]; readonly ended: Promise<void> } {
  const events: Event[] = [];
  const ended = (async () => {
    for await (const event of client.resource(configMaps, "default").watch({ labelSelector, signal })) events.push(event);
  })();
  return { events, ended };
}

async function play({ writers, faults }: Plan): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true }) });
  for (const name of ["a", "b"]) await cluster.client.resource(configMaps).create({ metadata: { name } });
  const stop = new AbortController();
  const truth = follow(cluster.client, "", stop.signal);
  await waitUntil("the first event", () => truth.events.length > 0, { pause: () => sleep(cluster.clock, 1) });
  const client = cluster.clientFor({ name: "troubled" }, { faults: new FaultScript(faults) });
  const followers = selections.map(({ labelSelector, selects }) => ({ ...follow(client, labelSelector, stop.signal), selects }));
  const informers = createInformerSet(client);
  using lease = informers.use(configMaps, { namespace: "default" });
  const caching = informers.run(stop.signal);
  const seen = new Map<string, number>();
  lease.informer.subscribe(({ type, object }) => {
    const name = object.metadata?.name ?? "";
    if (type !== "deleted") assert.ok(versionOf(object) > (seen.get(name) ?? 0), "the cache goes back in time");
    seen.set(name, versionOf(object));
  });

  let count = 0;
  const next = (): number => ++count;
  const delivered: Delivered[] = [];
  await Promise.all(writers.map((plan, i) => write(plan, { by: `writer-${i}`, client, informers, next, delivered })));
  await lastFaultsPass(cluster);

  const history = new History(truth.events);
  history.checkTokens(delivered);
  history.checkOrder(delivered);
  for (const { events, selects } of followers) history.checkWatch(events, selects);
  assert.deepEqual([...lease.informer.lister.list()].map(versionOf).sort(), history.stateAt(history.end).map(versionOf).sort());
  stop.abort();
  await Promise.all([truth.ended, caching, ...followers.map(({ ended }) => ended)]);
}

/** A watch that has stalled is given up after some ten minutes, and then the next may stall. */
const lastFaultsPass = ({ clock }: TestCluster): Promise<void> => sleep(clock, 7_200_000);

test("writes are linearizable, watches and caches complete and in order, whatever goes wrong", async () => {
  await fc.assert(fc.asyncProperty(plans, play), { numRuns });
});
