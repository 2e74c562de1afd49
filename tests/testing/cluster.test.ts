import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { defineResource, type KubeObject } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const configMaps = defineResource<ConfigMap>({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true });
const namespaces = defineResource({ group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false });

const create = (cluster: TestCluster, name: string, data: Record<string, string> = {}) =>
  cluster.client.resource(configMaps).create({ metadata: { name }, data });

test("fifty clusters at once know nothing of each other", async () => {
  await using stack = new AsyncDisposableStack();
  const clusters = await Promise.all(Array.from({ length: 50 }, async () => stack.use(await startCluster())));
  await Promise.all(clusters.map((cluster, i) => create(cluster, `of-${i}`)));
  for (const [i, cluster] of clusters.entries()) {
    const { items } = await cluster.client.resource(configMaps).list();
    assert.deepEqual(
      items.map(({ metadata }) => metadata?.name),
      [`of-${i}`],
    );
  }
});

test("the same seed gives the same uids, names, versions and order of events", async () => {
  const life = async (seed: number): Promise<unknown[]> => {
    await using cluster = await startCluster({ seed, clock: virtualClock() });
    const watch = await cluster.transport.send({ method: "GET", path: "/api/v1/configmaps?watch=1&timeoutSeconds=60", headers: {} });
    await Promise.all(["a", "b", "c"].map((name) => create(cluster, name)));
    await cluster.client.resource(configMaps).create({ metadata: { generateName: "some-" } });
    const { items } = await cluster.client.resource(configMaps).list();
    const spaces = await cluster.client.resource(namespaces).list();
    await cluster.advance({ minutes: 1 });
    const events = Buffer.from(await watch.bytes()).toString();
    return [...items, ...spaces.items, events, cluster.random.next()];
  };
  const first = await life(7);
  assert.deepEqual(await life(7), first);
  assert.notDeepEqual(await life(8), first);
});

test("a fork has the whole state and its history, and diverges independently", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const { metadata } = await create(cluster, "shared", { version: "1" });
  await cluster.client.resource(configMaps).patch("shared", { type: "merge", patch: { data: { version: "2" } } });
  const before = await cluster.client.resource(configMaps).list();
  await using fork = await cluster.fork();
  assert.deepEqual(await fork.client.resource(configMaps).list(), before);
  assert.equal(fork.clock.now(), cluster.clock.now());

  const stop = new AbortController();
  const seen: string[] = [];
  for await (const event of fork.client
    .resource(configMaps)
    .watch({ resourceVersion: metadata?.resourceVersion ?? "", signal: stop.signal })) {
    if (event.type !== "MODIFIED") continue;
    seen.push(event.object.data?.version ?? "");
    break;
  }
  assert.deepEqual(seen, ["2"]);

  await Promise.all([create(cluster, "here"), create(fork, "there")]);
  const [here, there] = await Promise.all([cluster, fork].map((one) => one.client.resource(configMaps).list()));
  assert.deepEqual(here?.items.map(({ metadata: { name } = {} }) => name).sort(), ["here", "shared"]);
  assert.deepEqual(there?.items.map(({ metadata: { name } = {} }) => name).sort(), ["shared", "there"]);
});

test("two forks with the same operations have the same state", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const snapshot = cluster.snapshot();
  const created = await Promise.all(
    [1, 2].map(async () => {
      await using fork = await startCluster({ from: snapshot });
      return await create(fork, "twin");
    }),
  );
  assert.deepEqual(created[0], created[1]);
});

test("a snapshot outlives its cluster", async () => {
  const snapshot = await (async () => {
    await using cluster = await startCluster({ clock: virtualClock() });
    await create(cluster, "kept");
    await cluster.applyYaml(seats);
    return cluster.snapshot();
  })();
  await using cluster = await startCluster({ from: snapshot });
  assert.equal((await cluster.client.resource(configMaps).get("kept")).metadata?.name, "kept");
  assert.equal((await cluster.applyYaml(seat)).length, 1);
});

const seats = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: seats.cinema.example }
spec:
  group: cinema.example
  scope: Namespaced
  names: { plural: seats, singular: seat, kind: Seat }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { row: { type: integer } } } } } }
`;
const seat = "{ apiVersion: cinema.example/v1, kind: Seat, metadata: { name: a-1 }, spec: { row: 1 } }";

test("YAML is applied in order, and definitions are waited for", async () => {
  await using cluster = await startCluster();
  const objects = await cluster.applyYaml(`# a comment
---
apiVersion: v1
kind: Namespace
metadata: { name: hall }
--- # the definition
${seats}
---
---
apiVersion: v1
kind: List
items:
- { apiVersion: cinema.example/v1, kind: Seat, metadata: { name: b-2, namespace: hall } }
---
${seat}
`);
  assert.deepEqual(
    objects.map(({ kind, metadata }) => [kind, metadata?.namespace, metadata?.name]),
    [
      ["Namespace", undefined, "hall"],
      ["CustomResourceDefinition", undefined, "seats.cinema.example"],
      ["Seat", "hall", "b-2"],
      ["Seat", "default", "a-1"],
    ],
  );
});

test("what cannot be applied is named", async () => {
  await using cluster = await startCluster();
  await assert.rejects(cluster.applyYaml("just text"), /no object with apiVersion and kind: just text/);
  await assert.rejects(cluster.applyYaml("{ apiVersion: v1, kind: Nothing, metadata: { name: x } }"), /Nothing/);
});

test("clients of other users have those users' names and groups", async () => {
  await using cluster = await startCluster();
  await cluster
    .clientFor({ name: "jane" })
    .resource(configMaps)
    .create({ metadata: { name: "janes" } });
  const outsider = cluster.clientFor({ name: "joe", groups: ["devs"] });
  await assert.rejects(outsider.resource(configMaps).get("janes"), /User "joe" cannot get resource "configmaps"/);
});

test("other processes come in with the kubeconfig, as the users in it", async () => {
  await using cluster = await startCluster({ users: [{ name: "jane" }, { name: "joe: the outsider", groups: ["devs"] }] });
  const { kubeconfig } = await cluster.listen();
  await create(cluster, "shared");
  for (const [context, seen] of [
    [undefined, "shared"],
    ["jane", "shared"],
    ["joe: the outsider", /User "joe: the outsider" cannot get/],
  ] as const) {
    await using client = await clientFromKubeconfig({ paths: [kubeconfig], ...(context === undefined ? {} : { context }) });
    const reading = client.resource(configMaps).get("shared");
    if (typeof seen === "string") assert.equal((await reading).metadata?.name, seen);
    else await assert.rejects(reading, seen);
  }
});

test("a port is opened when asked for, and gone with its file at the end", async () => {
  let kubeconfig = "";
  {
    await using cluster = await startCluster({ listen: true });
    const listening = await cluster.listen();
    kubeconfig = listening.kubeconfig;
    assert.match(readFileSync(kubeconfig, "utf8"), new RegExp(`server: ${listening.server}`));
  }
  assert.equal(existsSync(kubeconfig), false);
});

test("nothing is left after the end", async () => {
  const clock = virtualClock();
  const { waiting } = clock;
  const handles = process.getActiveResourcesInfo().length;
  {
    await using cluster = await startCluster({ clock });
    const watch = cluster.client.resource(configMaps).watch()[Symbol.asyncIterator]();
    await watch.next();
    watch.next().catch(() => undefined);
    await cluster.client.resource(configMaps).watch()[Symbol.asyncIterator]().next(); // and is never asked again
    cluster.waitFor(configMaps, "never", "create").catch(() => undefined);
    await cluster.listen();
    await clock.settle();
    assert.ok(clock.waiting > waiting);
  }
  await clock.settle();
  assert.equal(clock.waiting, waiting);
  assert.ok(process.getActiveResourcesInfo().length <= handles);
});

test("requests after the end fail without having been sent", async () => {
  const cluster = await startCluster();
  await cluster[Symbol.asyncDispose]();
  await assert.rejects(cluster.transport.send({ method: "GET", path: "/version", headers: {} }), { name: "ConnectionError", unsent: true });
});
