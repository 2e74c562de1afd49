import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMaps,
  customResourceDefinitions,
  isNotFound,
  type KubeObject,
  namespaces,
  nodes,
  pods,
  type ResourceClient,
  type ResourceRef,
  runControllers,
  sleep,
  startControllers,
  type Transport,
} from "@coxswain/client";
import { garbageCollectorController, namespaceController } from "@coxswain/controllers";
import { waitUntil } from "@coxswain/machinery/testing";
import { everyFaultAtEveryStep, type Scenario, startCluster, virtualClock } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const conditionsOf = (namespace: { status?: { conditions?: readonly { type: string; status: string; message?: string }[] } }) =>
  (namespace.status?.conditions ?? []).filter(({ status }) => status === "True").map(({ type, message }) => `${type}: ${message}`);

test("a Namespace is deleted after its content, Pods first, and its conditions report what remains", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  const stop = new AbortController();
  const running = runControllers(namespaceController.make({ client, settings: {} }), { client, signal: stop.signal });
  await client.resource(namespaces).create({ metadata: { name: "a" } });
  const maps = client.resource(configMaps, "a");
  await maps.create({ metadata: { name: "held", finalizers: ["x.io/held"] } });
  await maps.create({ metadata: { name: "free" } });
  await client.resource(nodes).create({ metadata: { name: "n1" } });
  const spec = { nodeName: "n1", terminationGracePeriodSeconds: 20, containers: [{ name: "c", image: "i" }] };
  await client.resource(pods, "a").create({ metadata: { name: "p" }, spec });
  await client.resource(namespaces).delete("a");

  const emptied = await cluster.waitFor(namespaces, "a", ({ status }) => (status?.conditions ?? []).length > 0, { timeoutMs: 600_000 });
  assert.deepEqual(conditionsOf(emptied), []);
  assert.equal((await maps.get("free")).metadata?.deletionTimestamp, undefined, "nothing goes before the Pods");
  await client.resource(pods, "a").delete("p", { gracePeriodSeconds: 0 });

  const held = await cluster.waitFor(namespaces, "a", (one) => conditionsOf(one).length > 0, { timeoutMs: 600_000 });
  assert.deepEqual(conditionsOf(held), [
    "NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances",
    "NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: x.io/held in 1 resource instances",
  ]);
  await maps.patch("held", { type: "merge", patch: { metadata: { finalizers: null } } });
  await cluster.waitFor(namespaces, "a", "delete", { timeoutMs: 600_000 });
  stop.abort();
  await running;
});

const group = "cinema.example";
const kinds = Array.from(
  { length: 8 },
  (_, i): ResourceRef => ({ group, version: "v1", resource: `seat${i}s`, kind: `Seat${i}`, namespaced: true }),
);
const names = Array.from({ length: 96 }, (_, i) => `ns-${i}`);

/** A definition goes as soon as a Namespace has been emptied of what it defines, before any watch shows that. */
function takingDefinitionsAway(transport: Transport, definitions: ResourceClient<KubeObject>): Transport {
  const going = new Map<string, Promise<unknown>>();
  return {
    ...transport,
    send: async (request) => {
      const answer = await transport.send(request);
      const [, resource] = /^\/apis\/cinema.example\/v1\/namespaces\/[^/]+\/([^/?]+)/.exec(request.path) ?? [];
      if (request.method !== "DELETE" || resource === undefined) return answer;
      const name = `${resource}.${group}`;
      if (!going.has(name)) going.set(name, definitions.delete(name));
      await going.get(name);
      await waitUntil(`${name} to be gone`, async () => !(await isThere(definitions, name)));
      return answer;
    },
  };
}

const isThere = (definitions: ResourceClient<KubeObject>, name: string): Promise<boolean> =>
  definitions.get(name).then(
    () => true,
    () => false,
  );

test("96 Namespaces are deleted while the CustomResourceDefinitions of their content are, and so are later ones of the same names", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  const definitions = client.resource<KubeObject>(customResourceDefinitions);
  const theirs = client.with({ transport: takingDefinitionsAway(client.transport, definitions) });
  const chosen = [namespaceController, garbageCollectorController].flatMap((one) => one.make({ client: theirs, settings: {} }));
  await using _ = startControllers(chosen, { client: theirs });
  for (const { resource: plural, kind } of kinds) {
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
    const spec = { group, scope: "Namespaced", names: { plural, kind }, versions };
    await client.resource(customResourceDefinitions).create({ metadata: { name: `${plural}.${group}` }, spec });
  }
  // The garbage collector follows what they define by then.
  await sleep(clock, 60_000);
  const comeAndGo = async (content: (name: string, i: number) => Promise<unknown>) => {
    for (const [i, name] of names.entries()) {
      await client.resource(namespaces).create({ metadata: { name } });
      await content(name, i);
    }
    await Promise.all(names.map((name) => client.resource(namespaces).delete(name)));
    await Promise.all(names.map((name) => cluster.waitFor(namespaces, name, "delete", { timeoutMs: 600_000 })));
  };
  await comeAndGo((name, i) => client.resource(kinds[i % kinds.length] ?? configMaps, name).create({ metadata: { name: "row" } }));
  await comeAndGo((name) => client.resource(configMaps, name).create({ metadata: { name: "free" } }));
});

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([namespaceController], { client, signal });
  const admin = cluster.client;
  await admin.resource(namespaces).create({ metadata: { name: "a" } });
  await admin.resource(configMaps, "a").create({ metadata: { name: "free" } });
  await admin.resource(namespaces).delete("a");
  await cluster.waitFor(namespaces, "a", "delete", { timeoutMs: 7_200_000 });
  await assert.rejects(admin.resource(configMaps, "a").get("free"), isNotFound);
};

test("a Namespace is deleted under injected faults", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > fewestRuns(10), `${runs} runs`);
});
