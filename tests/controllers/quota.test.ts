import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { configMaps, deployments, isForbidden, namespaces, pods, resourceQuotas, runControllers, services } from "@coxswain/client";
import { resourceQuotaController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario, startCluster } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;
const hard = {
  pods: "5",
  cpu: "2",
  "count/configmaps": "9",
  "count/deployments.apps": "3",
  services: "3",
  "count/nobodies.example.com": "1",
};

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([resourceQuotaController], { client, signal });
  await cluster.client.resource(namespaces).create({ metadata: { name: "a" } });
  const admin = cluster.client.with({ namespace: "a" });
  const used = async (wanted: Record<string, string>) => {
    await cluster.waitFor(resourceQuotas, { namespace: "a", name: "q" }, ({ status }) => isDeepStrictEqual(status?.used, wanted), {
      timeoutMs,
    });
  };
  await admin.resource(resourceQuotas).create({ metadata: { name: "q" }, spec: { hard } });
  const empty = { "count/configmaps": "0", "count/deployments.apps": "0", cpu: "0", pods: "0", services: "0" };
  await used(empty);
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  await admin
    .resource(deployments)
    .create({ metadata: { name: "d" }, spec: { replicas: 0, selector: { matchLabels: { app: "x" } }, template } });
  const spec = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] };
  for (const name of ["a", "b"]) await admin.resource(pods).create({ metadata: { name }, spec });
  await admin.resource(configMaps).create({ metadata: { name: "m" } });
  await admin.resource(services).create({ metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
  await used({ ...empty, "count/configmaps": "1", "count/deployments.apps": "1", cpu: "200m", pods: "2", services: "1" });
  await admin.resource(pods).delete("a", { gracePeriodSeconds: 0 });
  await admin.resource(configMaps).delete("m");
  await used({ ...empty, "count/deployments.apps": "1", cpu: "100m", pods: "1", services: "1" });
};

test("a ResourceQuota's status shows what is used under injected faults", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > fewestRuns(20), `${runs} runs`);
});

test("racing writers never exceed a quota while its controller counts what is used and gives back what has gone", async (t) => {
  const cluster = await startCluster();
  t.after(() => cluster[Symbol.asyncDispose]());
  const { client } = cluster;
  const stop = new AbortController();
  const running = runControllers(resourceQuotaController.make({ client, settings: {} }), { client, signal: stop.signal });
  t.after(() => stop.abort());
  await client.resource(namespaces).create({ metadata: { name: "a" } });
  await client.resource(resourceQuotas, "a").create({ metadata: { name: "q" }, spec: { hard: { "count/configmaps": "20" } } });
  const used = (count: number) =>
    cluster.waitFor(resourceQuotas, { namespace: "a", name: "q" }, ({ status }) => status?.used?.["count/configmaps"] === `${count}`);
  await used(0);
  const maps = client.resource(configMaps, "a");
  let most = 0;
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      const name = `m-${writer}-${i}`;
      await maps.create({ metadata: { name } }).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
      });
      most = Math.max(most, (await maps.list()).items.length);
      if (i % 3 === 0) await maps.delete(name).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
  assert.equal(most, 20);
  await used((await maps.list()).items.length);
  stop.abort();
  await running;
});
