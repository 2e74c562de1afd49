import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, configMaps, controller, done, isNotFound, runControllers, secrets, sleep } from "@coxswain/client";
import { everyFaultAtEveryStep, randomFaults, type Scenario } from "coxswain/testing";

const finalizer = "example.com/copies";

/** For each ConfigMap with the label `copies`, so many Secrets that it owns; it goes only when they have gone. */
const copier = controller({
  name: "copier",
  for: configMaps,
  labelSelector: "copies",
  owns: [secrets],
  reconcile: async ({ name, namespace }, { object, client, owned }) => {
    if (object === undefined) return done;
    const { metadata = {} } = object;
    const maps = client.resource(configMaps, namespace);
    const copies = owned(secrets);
    const wanted = metadata.deletionTimestamp === undefined ? Number(metadata.labels?.copies) : 0;
    if (wanted > 0 && metadata.finalizers?.includes(finalizer) !== true) {
      await maps.update({ ...object, metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), finalizer] } });
      return done;
    }
    const names = new Set(Array.from({ length: wanted }, (_, i) => `${name}-${i}`));
    for (const copy of names) {
      if (copies.some((one) => one.metadata?.name === copy)) continue;
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid: metadata.uid ?? "", controller: true }];
      await client.resource(secrets, namespace).create({ metadata: { name: copy, ownerReferences } });
    }
    for (const { metadata: { name: copy = "" } = {} } of copies) {
      if (names.has(copy)) continue;
      await client
        .resource(secrets, namespace)
        .delete(copy)
        .catch((error) => (isNotFound(error) ? undefined : Promise.reject(error)));
    }
    if (metadata.deletionTimestamp !== undefined && copies.length === 0 && metadata.finalizers?.includes(finalizer) === true)
      await maps.update({ ...object, metadata: { ...metadata, finalizers: metadata.finalizers.filter((one) => one !== finalizer) } });
    return done;
  },
});

const timeoutMs = 7_200_000;

/** As in a Pod: when the controllers give up, they are restarted. */
async function supervised(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runControllers([copier], { client, signal }).catch(() => sleep(client.clock, 10_000, signal));
  }
}

const scenario: Scenario = async ({ client, cluster, signal }) => {
  const stop = new AbortController();
  const running = supervised(client, AbortSignal.any([signal, stop.signal])).catch(() => undefined);
  const maps = cluster.client.resource(configMaps);
  await maps.create({ metadata: { name: "app", labels: { copies: "3" } } });
  await cluster.waitFor(secrets, "app-2", "create", { timeoutMs });
  await maps.patch("app", { type: "merge", patch: { metadata: { labels: { copies: "1" } } } });
  await cluster.waitFor(secrets, "app-2", "delete", { timeoutMs });
  await cluster.waitFor(secrets, "app-1", "delete", { timeoutMs });
  await maps.delete("app");
  await cluster.waitFor(configMaps, "app", "delete", { timeoutMs });
  assert.deepEqual((await cluster.client.resource(secrets).list()).items, []);
  stop.abort();
  await running;
};

test("a controller with a finalizer and objects of its own converges under injected faults", async () => {
  const { steps, runs } = await everyFaultAtEveryStep({ scenario });
  assert.ok(steps.length > 20, `${steps.length} steps`);
  assert.ok(runs > 100, `${runs} runs`);
});

test("it converges too when a third of all goes wrong", async () => {
  const { runs, fired } = await randomFaults({ scenario, seeds: 30, chance: 0.33 });
  assert.equal(runs, 30);
  assert.ok(fired > 100, `${fired} faults`);
});
