/** A client sees its own write in the local copy, however late the watch delivers it: over real servers, in real time. */
import assert from "node:assert/strict";
import {
  configMaps,
  createExpectations,
  createInformerSet,
  type Expectations,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  type Informer,
  type KubeObject,
  pods,
  type ResourceRef,
  type SharedInformerOptions,
} from "@coxswain/client";
import { onEachServer, type ServerUnderTest } from "./each-server.ts";

interface Following<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly writes: Expectations;
}

/** A copy of what is in the test's namespace, while `use` runs. */
async function following<T extends KubeObject>(
  { client, namespace }: ServerUnderTest,
  ref: ResourceRef<T>,
  options: SharedInformerOptions<T>,
  use: (following: Following<T>) => Promise<void>,
): Promise<void> {
  const informers = createInformerSet(client);
  const { informer } = informers.use(ref, { namespace, ...options });
  const stop = new AbortController();
  const run = informers.run(stop.signal);
  await informers.synced();
  try {
    await use({ informer, writes: createExpectations(client, informers) });
  } finally {
    stop.abort();
    await run;
  }
}

onEachServer("a Pod that is bound, runs, and has time to end", async (surroundings) => {
  const { namespace } = surroundings;
  const a = { namespace, name: "a" };
  await following(surroundings, pods, {}, async ({ informer, writes }) => {
    const tracked = writes.clientFor(a).resource(pods, namespace);
    const spec = { containers: [{ name: "c", image: "example.com/c:1" }], automountServiceAccountToken: false };
    await tracked.create({ metadata: { name: "a" }, spec });
    assert.equal(informer.lister.get(a)?.status?.phase, "Pending");
    const target = { kind: "Node", name: "no-such-node" };
    await tracked.subresource("a", "binding").create({ kind: "Binding", apiVersion: "v1", metadata: { name: "a" }, target });
    await writes.untilSatisfied(a);
    assert.equal(informer.lister.get(a)?.spec?.nodeName, "no-such-node");
    await tracked.patch("a", { type: "strategic", patch: { status: { phase: "Running" } } }, { subresource: "status" });
    assert.equal(informer.lister.get(a)?.status?.phase, "Running");
    await tracked.delete("a");
    assert.equal(informer.lister.get(a)?.metadata?.deletionGracePeriodSeconds, 30);
    await tracked.delete("a", { gracePeriodSeconds: 0 });
    await writes.untilSatisfied(a);
    assert.equal(informer.lister.get(a), undefined);
  });
});

onEachServer("what a finalizer holds, what the selector leaves out, and many that go at once", async (surroundings) => {
  const { namespace } = surroundings;
  const owner = { namespace, name: "owner" };
  await following(surroundings, configMaps, { labelSelector: "app" }, async ({ informer, writes }) => {
    const tracked = writes.clientFor(owner).resource(configMaps, namespace);
    const labels = { app: "" };
    await tracked.create({ metadata: { name: "a", labels, finalizers: ["example.com/keep"] } });
    await tracked.create({ metadata: { name: "b" } });
    await tracked.delete("a");
    await writes.untilSatisfied(owner);
    assert.notEqual(informer.lister.get({ namespace, name: "a" })?.metadata?.deletionTimestamp, undefined);
    await tracked.modify("a", (draft) => {
      delete draft.metadata?.finalizers;
    });
    await writes.untilSatisfied(owner);
    assert.equal(informer.lister.size, 0);
    await tracked.patch("b", { type: "merge", patch: { metadata: { labels } } });
    await writes.untilSatisfied(owner);
    assert.equal(informer.lister.size, 1);
    await tracked.patch("b", { type: "json", patch: [{ op: "remove", path: "/metadata/labels" }] });
    await writes.untilSatisfied(owner);
    assert.equal(informer.lister.size, 0);
    for (const name of ["c", "d", "e"]) await tracked.create({ metadata: { name, labels } });
    assert.equal(informer.lister.size, 3);
    await tracked.deleteCollection({ labelSelector: "app" });
    await writes.untilSatisfied(owner);
    assert.equal(informer.lister.size, 0);
  });
});

onEachServer("metadata alone", async (surroundings) => {
  const { client, namespace } = surroundings;
  await client.resource(configMaps, namespace).create({ metadata: { name: "before", labels: { app: "x" } }, data: { n: "1" } });
  await following(surroundings, configMaps, { metadataOnly: true }, async ({ informer, writes }) => {
    const owner = { namespace, name: "own" };
    const tracked = writes.clientFor(owner).resource(configMaps, namespace);
    await tracked.create({ metadata: { name: "own" }, data: { n: "1" } });
    await tracked.patch("own", { type: "merge", patch: { data: { n: "2" } } });
    await writes.untilSatisfied(owner);
    for (const name of ["before", "own"]) {
      const { data, kind, apiVersion, metadata } = informer.lister.get({ namespace, name }) ?? {};
      assert.deepEqual([data, kind, apiVersion, metadata?.name], [undefined, "ConfigMap", "v1", name]);
    }
  });
});

onEachServer("what was written in another version comes by the watch, in the version that is watched", async (surroundings) => {
  const { namespace } = surroundings;
  const web = { namespace, name: "web" };
  await following(surroundings, horizontalPodAutoscalers, {}, async ({ informer, writes }) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 };
    await writes
      .clientFor(web)
      .resource(horizontalPodAutoscalersV1, namespace)
      .create({ metadata: { name: "web" }, spec });
    await writes.untilSatisfied(web);
    const { apiVersion, spec: watched } = informer.lister.get(web) ?? {};
    assert.deepEqual([apiVersion, watched?.metrics?.length], ["autoscaling/v2", 1]);
  });
});
