/** A new version takes over while requests go on: each is answered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createInformer, deployments, endpointSlices } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { podSpec } from "./manifests.ts";
import { type Program, startKubectl } from "./programs.ts";
import type { RealCluster } from "./real-cluster.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

/** Ends a second after its stop signal: clients that knew it as ready have seen by then that it is not. */
const main = {
  image: images.web1,
  ports: [{ containerPort: 8080 }],
  readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 },
  lifecycle: { preStop: { sleep: { seconds: 2 } } },
};
const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: { metadata: { labels }, spec: podSpec(main, { terminationGracePeriodSeconds: 10 }) },
  },
};
const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: labels, ports: [{ port: 8080 }] } };

withRealCluster("a Deployment of real containers", 1, (cluster) => {
  test("is rolled from one image to another, and no request through port-forwards is lost", async () => {
    const { apply, kubectl, client } = cluster();
    await apply(service, deployment);
    await kubectl("rollout status deployment/web --timeout=5m");
    await using balancer = await startBalancer(cluster());
    const done = new AbortController();
    const answers: string[] = [];
    const failures: unknown[] = [];
    const asking = (async () => {
      while (!done.signal.aborted) {
        await balancer.ask().then(
          (answer) => answers.push(answer),
          (error: unknown) => failures.push(error),
        );
        await delay(20);
      }
    })();
    await waitUntil("five answers", () => answers.length >= 5, { pause: () => delay(20) });
    await kubectl(`set image deployment/web main=${images.web2}`);
    await kubectl("rollout status deployment/web --timeout=5m");
    const rolled = answers.length;
    await waitFor(client, { ref: deployments, target: "web", until: ({ status }) => (status?.terminatingReplicas ?? 0) === 0 });
    await waitUntil("20 answers of the new version", () => answers.length >= rolled + 20, { pause: () => delay(20) });
    done.abort();
    await asking;
    assert.deepEqual(failures, []);
    assert.equal(answers[0], "version 1\n");
    assert.deepEqual(new Set(answers.slice(-5)), new Set(["version 2\n"]));
    assert.ok(answers.length > 50, `${answers.length}`);
    await kubectl("delete deployment web --cascade=foreground");
  });
});

/** What kube-proxy would be: requests go to the endpoints that are ready, each by a port-forward of its own. */
async function startBalancer({ client, ...cluster }: RealCluster): Promise<{ ask(): Promise<string> } & AsyncDisposable> {
  const ending = new AbortController();
  const slices = createInformer(client.resource(endpointSlices, "default"), {
    clock: client.clock,
    labelSelector: "kubernetes.io/service-name=web",
  });
  const running = slices.run(ending.signal);
  const forwards = new Map<string, { readonly program: Program; readonly port: Promise<string> }>();
  const readyPods = () =>
    slices.lister
      .list()
      .flatMap(({ endpoints }) => endpoints ?? [])
      .flatMap(({ conditions, targetRef }) => (conditions?.ready === true && targetRef?.name !== undefined ? [targetRef.name] : []));
  let turn = 0;
  await slices.synced;
  await waitUntil("two ready Pods", () => readyPods().length >= 2, { pause: () => delay(20) });
  return {
    async ask() {
      const ready = readyPods();
      const name = ready[turn++ % ready.length];
      assert.ok(name !== undefined, "no endpoint is ready");
      const answer = await fetch(`http://127.0.0.1:${await portOf(name)}/`, { headers: { connection: "close" } });
      return await answer.text();
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running.catch(() => undefined);
      await Promise.all(Array.from(forwards.values(), ({ program }) => program[Symbol.asyncDispose]()));
    },
  };

  function portOf(name: string): Promise<string> {
    const known = forwards.get(name);
    if (known !== undefined) return known.port;
    const program = startKubectl(cluster, ["port-forward", `pod/${name}`, ":8080"]);
    const port = program.prints(/127\.0\.0\.1:(\d+) -> 8080/).then(([, found = ""]) => found);
    forwards.set(name, { program, port });
    return port;
  }
}
