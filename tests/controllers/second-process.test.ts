import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type api, type Client, deployments, leases, pods, type ResourceRef, replicaSets, systemClock } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster } from "coxswain/testing";
import { startControllersProcess } from "./second-process.ts";
import { simulateNodes } from "./simulated-node.ts";

type Deployment = api.appsV1.Deployment;

const labels = { app: "web" };
const web = (image: string): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 20,
    selector: { matchLabels: labels },
    strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
  },
});

const isDone = ({ metadata, spec, status }: Deployment): boolean =>
  status?.observedGeneration === metadata?.generation &&
  status?.updatedReplicas === spec?.replicas &&
  status?.availableReplicas === spec?.replicas &&
  status?.replicas === spec?.replicas;

/**
 * What a rollout asks for and makes. The surge bounds the sum of the ReplicaSets' replicas; the Pods themselves may be
 * more for a moment, because the old ReplicaSet's deletions and the new one's creations do not wait for each other.
 */
const watchRollout = (client: Client) => {
  const stop = new AbortController();
  const wanted = new Map<string | undefined, number>();
  const made = new Set<string | undefined>();
  let maxWanted = 0;
  const follow = async <T extends KubeObject>(ref: ResourceRef<T>, note: (object: T) => void) => {
    for await (const event of client.resource(ref).watch({ signal: stop.signal })) {
      if (event.type === "LISTED") event.items.forEach(note);
      else if (event.type !== "BOOKMARK") note(event.object);
    }
  };
  const followed = Promise.allSettled([
    follow(replicaSets, ({ metadata, spec }) => {
      wanted.set(metadata?.uid, spec?.replicas ?? 0);
      maxWanted = Math.max(
        maxWanted,
        [...wanted.values()].reduce((sum, count) => sum + count, 0),
      );
    }),
    follow(pods, ({ metadata, spec }) => {
      if (spec?.containers[0]?.image === "nginx:2") made.add(metadata?.uid);
    }),
  ]);
  return {
    end: async () => {
      stop.abort();
      await followed;
      return { maxWanted, made: made.size };
    },
  };
};

const quick = [
  "--leader-elect",
  "--leader-elect-lease-duration=6s",
  "--leader-elect-renew-deadline=5s",
  "--leader-elect-retry-period=500ms",
];

test("a standby completes what a killed leader began, and creates nothing twice", { timeout: hangMs }, async () => {
  await using cluster = await startCluster({ clock: systemClock });
  const { client } = cluster;
  const { kubeconfig } = await cluster.listen();
  await using _ = await simulateNodes({ client, nodes: 3, podOutcome: () => ({ kind: "runs", readyAfterMs: 100 }) });
  await using leader = startControllersProcess(kubeconfig, ...quick);
  await leader.said("new leader");
  await using standby = startControllersProcess(kubeconfig, ...quick);
  await standby.said("caches synced");
  const holder = async () => (await client.resource(leases, "kube-system").get("kube-controller-manager")).spec?.holderIdentity;
  const first = await holder();

  await client.resource(deployments).create(web("nginx:1"));
  await cluster.waitFor(deployments, "web", isDone, { timeoutMs: hangMs });
  const rollout = watchRollout(client);
  await client.resource(deployments).patch("web", { type: "merge", patch: { spec: web("nginx:2").spec ?? {} } });
  await cluster.waitFor(deployments, "web", ({ status }) => status?.observedGeneration === 2 && (status.updatedReplicas ?? 0) >= 5, {
    timeoutMs: hangMs,
  });
  assert.equal(await leader.end("SIGKILL"), null);
  const { status } = await client.resource(deployments).get("web");
  assert.notEqual(status?.updatedReplicas, 20, "it was killed in the middle");

  const end = await cluster.waitFor(deployments, "web", isDone, { timeoutMs: hangMs });
  const { maxWanted, made } = await rollout.end();
  assert.notEqual(await holder(), first);
  assert.equal(maxWanted, 22, "as many as the surge allows, never more");
  assert.equal(made, 20, "no Pod is made twice");
  assert.equal((await client.resource(replicaSets).list()).items.length, 2);
  const running = (await client.resource(pods).list()).items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  assert.deepEqual(new Set(running.map(({ spec }) => spec?.containers[0]?.image)), new Set(["nginx:2"]));
  assert.equal(running.length, 20);
  assert.equal(end.metadata?.annotations?.["deployment.kubernetes.io/revision"], "2");

  assert.equal(await standby.end("SIGTERM"), 0);
  assert.equal(await holder(), "", "the lease is given back");
});

test("the second process serves metrics and health on a local port", { timeout: hangMs }, async () => {
  await using cluster = await startCluster({ clock: systemClock });
  const { kubeconfig } = await cluster.listen();
  await using alone = startControllersProcess(kubeconfig, "--metrics-port=0");
  await alone.said("caches synced");
  const port = /"port":(\d+)/.exec(alone.log())?.[1];
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  assert.equal(await get("/healthz"), "200 ok");
  assert.match(await get("/metrics"), /^workqueue_adds_total\{name="deployment-controller",controller="deployment-controller"\} \d+$/m);
  assert.match(await get("/else"), /^404 /);
});

test("the second process reports a wrong option in one sentence", async () => {
  await using unknown = startControllersProcess("/nowhere", "--controllers=pods");
  await once(unknown.process, "exit");
  assert.equal(unknown.process.exitCode, 1);
  assert.equal(unknown.log(), 'coxswain: "pods" is not in the list of known controllers\n');
});
