import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, configMaps, leases, pods, startControllers, type TransportRequest } from "@coxswain/client";
import { createFleet, Simulation } from "@coxswain/kubelet";
import { startCluster, virtualClock } from "coxswain/testing";

const isPodStatus = ({ method, path }: TransportRequest): boolean => method === "PATCH" && /\/pods\/[^/]+\/status/.test(path);

/** Statuses of Pods wait until the test lets them go. */
function holdingBack(client: Client) {
  const gate = Promise.withResolvers<void>();
  const held: string[] = [];
  const { transport } = client;
  const holding = client.with({
    transport: {
      async send(request) {
        if (isPodStatus(request)) {
          held.push(request.path);
          await gate.promise;
        }
        return await transport.send(request);
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
  });
  return { client: holding, held, release: gate.resolve };
}

test("a fleet has no more requests for its Pods under way than it may, and Leases do not wait for them", async () => {
  const clock = virtualClock({ now: Date.UTC(2026, 0, 1) });
  await using cluster = await startCluster({ clock });
  const { random, client } = cluster;
  const holding = holdingBack(client);
  const fleet = createFleet({ nodes: 3, simulation: new Simulation({ clock, random }), client: holding.client, maxInFlight: 2 });
  await using _ = startControllers([fleet], { client });
  await fleet.ready;
  for (let i = 0; i < 6; i++) {
    const spec = { nodeName: `node-${1 + (i % 3)}`, containers: [{ name: "main", image: "web:1" }] };
    await client.resource(pods).create({ metadata: { name: `p-${i}` }, spec });
  }
  await clock.advance({ seconds: 12 });
  assert.equal(holding.held.length, 2);
  const { items } = await client.resource(leases, "kube-node-lease").list();
  assert.deepEqual(
    items.map(({ spec }) => Date.parse(spec?.renewTime ?? "") >= Date.UTC(2026, 0, 1, 0, 0, 10)),
    [true, true, true],
  );
  holding.release();
  await clock.advance({ seconds: 5 });
  const phases = (await client.resource(pods, "default").list()).items.map(({ status }) => status?.phase);
  assert.deepEqual(
    phases,
    Array.from({ length: 6 }, () => "Running"),
  );
});

test("a fleet that shares what it reads writes as each node and reads as itself", async () => {
  const clock = virtualClock({ now: Date.UTC(2026, 0, 1) });
  await using cluster = await startCluster({ clock });
  const { random, client } = cluster;
  const by: string[] = [];
  const recording = (who: string): Client => {
    const { transport } = client;
    return client.with({
      transport: {
        async send(request) {
          by.push(`${who} ${request.method} ${new URL(request.path, "http://server").pathname.split("/").slice(3).join("/")}`);
          return await transport.send(request);
        },
        [Symbol.asyncDispose]: async () => undefined,
      },
    });
  };
  const fleet = createFleet({
    nodes: 2,
    simulation: new Simulation({ clock, random }),
    client: recording("fleet"),
    clientFor: recording,
    sharesReads: true,
  });
  await using _ = startControllers([fleet], { client });
  await fleet.ready;
  await client.resource(configMaps).create({ metadata: { name: "settings" }, data: { color: "red" } });
  for (const nodeName of ["node-1", "node-2"]) {
    const env = [{ name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } }];
    const spec = { nodeName, containers: [{ name: "main", image: "web:1", env }] };
    await client.resource(pods).create({ metadata: { name: `on-${nodeName}` }, spec });
  }
  await clock.advance({ seconds: 5 });
  const about = (what: string) => by.filter((request) => request.includes(what));
  assert.deepEqual(about("/pods/").sort(), [
    "node-1 PATCH namespaces/default/pods/on-node-1/status",
    "node-2 PATCH namespaces/default/pods/on-node-2/status",
  ]);
  assert.deepEqual(about("configmaps"), ["fleet GET namespaces/default/configmaps"]);
});
