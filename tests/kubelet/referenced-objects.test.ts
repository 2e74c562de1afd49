import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type api, configMaps, isNotFound, pods, secrets, serviceAccounts, sleep, tokenReviews } from "@coxswain/client";
import { createTokenManager, createVolumeManager, createWatchBasedManager } from "@coxswain/kubelet";
import { FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

type Pod = api.coreV1.Pod;

const quiet = new AbortController().signal;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const podOf = (uid: string, spec: Partial<api.coreV1.PodSpec>): Pod => ({
  metadata: { name: `pod-${uid}`, namespace: "default", uid },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

const naming = (uid: string, configMap: string): Pod => podOf(uid, { volumes: [{ name: "v", configMap: { name: configMap } }] });

async function within(cluster: TestCluster, seconds: number, holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 0.1) {
    assert.ok(waited < seconds, "it did not come about");
    await sleep(cluster.clock, 100);
  }
}

const start = async (faults?: FaultScript) => {
  const cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const client = cluster.clientFor({ name: "system:node:one" }, faults === undefined ? {} : { faults });
  return { cluster, client, objects: createWatchBasedManager(client) };
};

test("objects are followed while a Pod names them, each by one watch for all Pods", async () => {
  const { cluster, objects } = await start();
  await using _ = cluster;
  await using __ = objects;
  await cluster.client.resource(configMaps).create({ metadata: { name: "m" }, data: { a: "1" } });
  const recorded: string[] = [];
  objects.registerPod(naming("u1", "m"), () => recorded.push("u1"));
  objects.registerPod(naming("u2", "m"), () => recorded.push("u2"));
  assert.equal(objects.size, 1);
  assert.deepEqual((await objects.getConfigMap("default", "m", quiet)).data, { a: "1" });
  await cluster.client.resource(configMaps).patch("m", { type: "merge", patch: { data: { a: "2" } } });
  await within(cluster, 5, () => recorded.length === 2);
  assert.deepEqual(recorded.sort(), ["u1", "u2"]);
  assert.deepEqual((await objects.getConfigMap("default", "m", quiet)).data, { a: "2" });
  objects.unregisterPod("u1");
  assert.equal(objects.size, 1);
  objects.registerPod(naming("u2", "other"), () => undefined);
  await assert.rejects(objects.getConfigMap("default", "m", quiet), { message: 'object "default"/"m" not registered' });
  objects.unregisterPod("u2");
  assert.equal(objects.size, 0);
});

test("what is not there is not found, until it is", async () => {
  const { cluster, objects } = await start();
  await using _ = cluster;
  await using __ = objects;
  let recorded = 0;
  objects.registerPod(podOf("u1", { volumes: [{ name: "v", secret: { secretName: "s" } }] }), () => recorded++);
  await assert.rejects(
    objects.getSecret("default", "s", quiet),
    (error: Error) => isNotFound(error) && error.message === 'secret "s" not found',
  );
  await cluster.client.resource(secrets).create({ metadata: { name: "s" }, data: { k: base64("v") } });
  await within(cluster, 5, () => recorded === 1);
  assert.deepEqual((await objects.getSecret("default", "s", quiet)).data, { k: base64("v") });
});

test("a server that does not answer is not waited for for ever", async () => {
  const { cluster, objects } = await start(new FaultScript([{ fault: { kind: "lose-request" } }]));
  await using _ = cluster;
  await using __ = objects;
  objects.registerPod(naming("u1", "m"), () => undefined);
  const message = "failed to sync configmap cache: timed out waiting for the condition";
  await assert.rejects(objects.getConfigMap("default", "m", quiet), { message });
  const stop = new AbortController();
  const asking = objects.getConfigMap("default", "m", stop.signal);
  stop.abort(new Error("enough"));
  await assert.rejects(asking, { message: "enough" });
});

test("an object is up to date again after its watch was lost", async () => {
  const script = new FaultScript();
  const { cluster, objects } = await start(script);
  await using _ = cluster;
  await using __ = objects;
  await cluster.client.resource(configMaps).create({ metadata: { name: "m" }, data: { a: "1" } });
  let recorded = 0;
  objects.registerPod(naming("u1", "m"), () => recorded++);
  await objects.getConfigMap("default", "m", quiet);
  assert.equal(script.strike({ kind: "drop-watch" }), 1);
  await cluster.client.resource(configMaps).patch("m", { type: "merge", patch: { data: { a: "2" } } });
  await within(cluster, 60, () => recorded > 0);
  assert.deepEqual((await objects.getConfigMap("default", "m", quiet)).data, { a: "2" });
});

test("a token is the Pod's, counts while the Pod is there, and is renewed at four fifths of its life", async () => {
  const { cluster, client } = await start();
  await using _ = cluster;
  const tokens = createTokenManager(client, { warn: () => undefined });
  await cluster.client.resource(serviceAccounts).create({ metadata: { name: "runner" } });
  const pod = await cluster.client.resource(pods).create(podOf("t", { serviceAccountName: "runner" }));
  const request = {
    namespace: "default",
    account: "runner",
    audience: "",
    expirationSeconds: 3600,
    pod: { name: pod.metadata?.name ?? "", uid: pod.metadata?.uid ?? "" },
  };
  const first = await tokens.getServiceAccountToken(request, quiet);
  assert.equal((await tokens.getServiceAccountToken(request, quiet)).token, first.token);
  const review = async () => (await cluster.client.resource(tokenReviews).create({ spec: { token: first.token } })).status;
  const { authenticated, user } = (await review()) ?? {};
  assert.equal(authenticated, true);
  assert.deepEqual(user?.extra?.["authentication.kubernetes.io/pod-name"], [request.pod.name]);
  const lifeMs = first.renewAt - cluster.clock.now();
  assert.ok(lifeMs > 2869_000 && lifeMs <= 2880_000, `${lifeMs} ms`);
  await cluster.advance({ ms: lifeMs + 1 });
  assert.notEqual((await tokens.getServiceAccountToken(request, quiet)).token, first.token);
  await cluster.client.resource(pods).delete(request.pod.name, { gracePeriodSeconds: 0 });
  assert.notEqual((await review())?.authenticated, true);
});

test("an old token serves while no new one is to be had", async () => {
  const { cluster, client } = await start();
  await using _ = cluster;
  const warnings: string[] = [];
  const tokens = createTokenManager(client, { warn: (_fields, message) => warnings.push(message) });
  await cluster.client.resource(serviceAccounts).create({ metadata: { name: "runner" } });
  const pod = await cluster.client.resource(pods).create(podOf("t", { serviceAccountName: "runner" }));
  const { name = "", uid = "" } = pod.metadata ?? {};
  const request = { namespace: "default", account: "runner", audience: "vault", expirationSeconds: 600, pod: { name, uid } };
  const first = await tokens.getServiceAccountToken(request, quiet);
  await cluster.client.resource(serviceAccounts).delete("runner");
  await cluster.advance({ seconds: 500 });
  const second = await tokens.getServiceAccountToken(request, quiet);
  assert.equal(second.token, first.token);
  assert.deepEqual(warnings, ["failed to renew the token of a Pod"]);
  await cluster.advance({ seconds: 101 });
  await assert.rejects(
    tokens.getServiceAccountToken(request, quiet),
    /^Error: token "runner" for namespace "default" expired and refresh failed: /,
  );
});

test("what a volume shows follows its ConfigMap within seconds", async () => {
  const { cluster, client, objects } = await start();
  await using _ = cluster;
  await using __ = objects;
  const rootDir = await mkdtemp(join(tmpdir(), "followed-"));
  const recorded: string[] = [];
  using volumes = createVolumeManager({
    rootDir,
    client,
    objects,
    tokens: createTokenManager(client, { warn: () => undefined }),
    events: { record: () => undefined },
    allocatable: () => ({}),
    changed: (uid) => recorded.push(uid),
    mounter: undefined,
  });
  await cluster.client.resource(configMaps).create({ metadata: { name: "m" }, data: { a: "1" } });
  const pod = naming("u1", "m");
  pod.spec?.containers[0] && Object.assign(pod.spec.containers[0], { volumeMounts: [{ name: "v", mountPath: "/v" }] });
  const path = (await volumes.mount(pod, quiet)).get("v")?.path ?? "";
  assert.equal(await readFile(join(path, "a"), "utf8"), "1");
  await cluster.client.resource(configMaps).patch("m", { type: "merge", patch: { data: { a: "2" } } });
  await within(cluster, 5, () => recorded.length > 0);
  await volumes.mount(pod, quiet);
  assert.equal(await readFile(join(path, "a"), "utf8"), "2");
  await volumes.unmount("u1", quiet);
  assert.equal(objects.size, 0);
  await rm(rootDir, { recursive: true });
});
