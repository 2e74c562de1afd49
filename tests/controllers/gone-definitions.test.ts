/** What follows every resource lets go of those that are not defined any more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { customResourceDefinitions, type ResourceRef, resourceQuotas, sleep, startControllers, type Transport } from "@coxswain/client";
import { garbageCollectorController, namespaceController, resourceQuotaController } from "@coxswain/controllers";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const group = "cinema.example";
const name = `seats.${group}`;
const seats = (version: string): ResourceRef => ({ group, version, resource: "seats", kind: "Seat", namespaced: true });

const define = (cluster: TestCluster, version: string) => {
  const versions = [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const spec = { group, scope: "Namespaced", names: { plural: "seats", kind: "Seat" }, versions };
  return cluster.client.resource(customResourceDefinitions).create({ metadata: { name }, spec });
};

test("a custom resource is no longer listed after its definition is deleted, and counted again when the definition returns in any version", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  const asked: string[] = [];
  const send: Transport["send"] = (request) => {
    if (request.path.includes(group)) asked.push(`${request.method} ${request.path.split("?")[0]}`);
    return client.transport.send(request);
  };
  const theirs = client.with({ transport: { ...client.transport, send } });
  const said: { readonly level: string; readonly fields: object }[] = [];
  const say = (level: string) => (fields: object) => void said.push({ level, fields });
  const log = { debug: () => undefined, info: () => undefined, warn: say("warn"), error: say("error") };
  const chosen = [garbageCollectorController, resourceQuotaController, namespaceController];
  const made = chosen.flatMap((one) => one.make({ client: theirs, settings: {} }));
  await using _ = startControllers(made, { client: theirs, log });
  const used = (count: string) =>
    cluster.waitFor(resourceQuotas, "q", ({ status }) => status?.used?.[`count/${name}`] === count, { timeoutMs: 600_000 });

  await define(cluster, "v1");
  await client.resource(resourceQuotas).create({ metadata: { name: "q" }, spec: { hard: { [`count/${name}`]: "3" } } });
  await used("0");
  await client.resource(seats("v1")).create({ metadata: { name: "row" } });
  await used("1");
  await client.resource(customResourceDefinitions).delete(name);
  await cluster.waitFor(customResourceDefinitions, name, "delete", { timeoutMs: 600_000 });
  await sleep(clock, 40_000);
  asked.length = 0;
  said.length = 0;
  await sleep(clock, 600_000);
  assert.deepEqual(asked, []);
  assert.deepEqual(said, []);

  await define(cluster, "v2");
  await sleep(clock, 40_000);
  await client.resource(seats("v2")).create({ metadata: { name: "row" } });
  await used("1");
});
