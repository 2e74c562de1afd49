import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nodes, pods } from "@coxswain/client";
import { createFileSource, type FileSource } from "@coxswain/kubelet";
import { systemClock, unknownPath } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";
import { isReady, nodeName, type Pod, startNode } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const log = { warn: () => undefined };

const manifest = (image: string): string => `
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - {name: main, image: "${image}"}
`;

async function directory(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(tmpdir(), "static-pods-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const readFrom = (path: string) => createFileSource({ path, nodeName, clock: systemClock, log }).read();

test("a file becomes a Pod of the node, with a uid of its own content", async () => {
  await using first = await directory({ "web.yaml": manifest("app:1"), ".hidden.yaml": manifest("app:9"), "broken.yaml": "kind: Service" });
  const [pod, ...others] = await readFrom(first.path);
  assert.deepEqual(others, []);
  assert.equal(pod?.metadata?.name, "web-one");
  assert.equal(pod?.metadata?.namespace, "default");
  assert.match(pod?.metadata?.uid ?? "", /^[0-9a-f]{32}$/);
  assert.equal(pod?.metadata?.annotations?.["kubernetes.io/config.hash"], pod?.metadata?.uid);
  assert.equal(pod?.metadata?.annotations?.["kubernetes.io/config.source"], "file");
  assert.equal(pod?.spec?.nodeName, nodeName);
  assert.equal(pod?.spec?.restartPolicy, "Always");
  assert.deepEqual(pod?.spec?.tolerations, [{ operator: "Exists", effect: "NoExecute" }]);
  await writeFile(join(first.path, "web.yaml"), manifest("app:2"));
  const [changed] = await readFrom(first.path);
  assert.notEqual(changed?.metadata?.uid, pod?.metadata?.uid);
});

test("a static Pod may not rely on what is in the API", async () => {
  const uses = manifest("app:1").replace("spec:", "spec:\n  volumes: [{name: v, configMap: {name: c}}]");
  await using files = await directory({ "web.yaml": uses });
  assert.deepEqual(await readFrom(files.path), []);
});

/** Files that a test writes. */
function scriptedStaticPods() {
  let now: readonly Pod[] = [];
  let report: (pods: readonly Pod[]) => void = () => undefined;
  const watched = Promise.withResolvers<void>();
  const source: FileSource = {
    read: async () => now,
    watch: (changed, signal) => {
      report = changed;
      watched.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  return {
    source,
    /** Resolves when there is a watch of them. */
    watched: watched.promise,
    set: (pods: readonly Pod[]) => {
      now = pods;
      report(pods);
    },
  };
}

async function podWith(image: string): Promise<Pod> {
  await using files = await directory({ "web.yaml": manifest(image) });
  const [pod] = await createFileSource({ path: files.path, nodeName, clock: systemClock, log }).read();
  if (pod === undefined) throw new Error("there is no Pod in the file");
  return pod;
}

test("a static Pod has a mirror in the API, which comes back when it is deleted, changes with its file and goes with it", async () => {
  const files = scriptedStaticPods();
  const node = { metadata: { name: nodeName, uid: "node-uid" }, status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10" } } };
  files.set([await podWith("app:1")]);
  await using under = await startNode({ staticPods: files.source, node: () => node });
  const { cluster, runtime } = under;
  await cluster.client.resource(nodes).create({ metadata: { name: nodeName } });
  const all = cluster.client.resource(pods);
  const wait = (until: (pod: Pod) => boolean) => cluster.waitFor(pods, "web-one", until, { timeoutMs });

  const first = await wait(isReady);
  const hash = first.metadata?.annotations?.["kubernetes.io/config.mirror"];
  assert.equal(hash, first.metadata?.annotations?.["kubernetes.io/config.hash"]);
  assert.deepEqual(first.metadata?.ownerReferences, [
    { apiVersion: "v1", kind: "Node", name: nodeName, uid: "node-uid", controller: true },
  ]);
  const [container] = await runtime.listContainers(AbortSignal.timeout(hangMs));

  await all.delete("web-one");
  const second = await wait((pod) => isReady(pod) && pod.metadata?.uid !== first.metadata?.uid);
  const [same] = await runtime.listContainers(AbortSignal.timeout(hangMs));
  assert.equal(same?.id, container?.id, "what runs is not touched");
  assert.equal(second.metadata?.annotations?.["kubernetes.io/config.mirror"], hash);

  files.set([await podWith("app:2")]);
  const third = await wait((pod) => isReady(pod) && pod.spec?.containers[0]?.image === "app:2");
  assert.notEqual(third.metadata?.annotations?.["kubernetes.io/config.mirror"], hash);

  files.set([]);
  await cluster.waitFor(pods, "web-one", "delete", { timeoutMs });
  await cluster.advance({ minutes: 2 });
  assert.deepEqual(await runtime.listPodSandboxes(AbortSignal.timeout(hangMs)), []);
  assert.deepEqual(under.warnings, []);
});

test("a mirror is not taken for gone by a 404 that is not about it", async () => {
  const fault = { kind: "status", error: unknownPath() } as const;
  const faults = new FaultScript([{ on: { resource: "pods", verb: "delete" }, nth: 1, fault }]);
  const files = scriptedStaticPods();
  const node = { metadata: { name: nodeName, uid: "node-uid" } };
  files.set([await podWith("app:1")]);
  await using under = await startNode({ staticPods: files.source, node: () => node, faults });
  const { cluster } = under;
  await cluster.client.resource(nodes).create({ metadata: { name: nodeName } });
  await cluster.waitFor(pods, "web-one", isReady, { timeoutMs });
  files.set([]);
  await cluster.waitFor(pods, "web-one", "delete", { timeoutMs });
  assert.equal(under.warnings.length, 1);
});

test("a static Pod whose file goes while the API is asked for the Node again does not start", async () => {
  const files = scriptedStaticPods();
  const pod = await podWith("app:1");
  files.set([{ ...pod, spec: { containers: [], ...pod.spec, nodeSelector: { disk: "ssd" } } }]);
  const removed = Promise.withResolvers<void>();
  const by = async () => {
    await files.watched;
    files.set([]);
    removed.resolve();
  };
  const faults = new FaultScript([{ on: { resource: "nodes", verb: "get" }, nth: 1, fault: { kind: "overtake", by } }]);
  const node = { metadata: { name: nodeName, uid: "node-uid" } };
  const labels = { disk: "ssd" };
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.client.resource(nodes).create({ metadata: { name: nodeName, labels } });
  await using under = await startNode({ staticPods: files.source, node: () => node, faults, cluster });
  await removed.promise;
  await cluster.advance({ minutes: 1 });
  assert.deepEqual(await under.runtime.listPodSandboxes(AbortSignal.timeout(hangMs)), []);
  assert.deepEqual((await cluster.client.resource(pods).list()).items, []);
});

const foreign = [
  { name: "a Pod of another node", annotations: {}, nodeName: "other" },
  { name: "an unscheduled Pod", annotations: {}, nodeName: undefined },
  {
    name: "another node's mirror",
    annotations: { "kubernetes.io/config.mirror": "h", "kubernetes.io/config.source": "file" },
    nodeName: "other",
  },
];
for (const { name, annotations, nodeName: where } of foreign)
  test(`${name} under the name of a mirror is left alone, and the mirror comes when it has gone`, async () => {
    const files = scriptedStaticPods();
    const node = { metadata: { name: nodeName, uid: "node-uid" }, status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10" } } };
    await using under = await startNode({ staticPods: files.source, node: () => node });
    const { cluster } = under;
    await cluster.client.resource(nodes).create({ metadata: { name: nodeName } });
    const spec = { ...(where === undefined ? {} : { nodeName: where }), containers: [{ name: "own", image: "own:1" }] };
    const { metadata } = await cluster.client.resource(pods).create({ metadata: { name: "web-one", annotations }, spec });
    files.set([await podWith("app:1")]);
    await cluster.advance({ minutes: 2 });
    assert.equal((await cluster.client.resource(pods).get("web-one")).metadata?.uid, metadata?.uid);
    await cluster.client.resource(pods).delete("web-one", { gracePeriodSeconds: 0 });
    await cluster.waitFor(pods, "web-one", (pod) => isReady(pod) && pod.spec?.containers[0]?.image === "app:1", { timeoutMs });
  });
