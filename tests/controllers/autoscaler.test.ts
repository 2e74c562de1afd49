import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type api,
  type Client,
  defineResource,
  deployments,
  events,
  horizontalPodAutoscalers,
  type KubeObject,
  pods,
  startControllers,
} from "@coxswain/client";
import { deploymentController, horizontalPodAutoscalerController, replicaSetController } from "@coxswain/controllers";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { autoscaled, autoscalerOf, defineMetrics, queueLength } from "./metrics-under-test.ts";
import { simulateNodes } from "./simulated-node.ts";

interface PodMetrics extends KubeObject {
  timestamp: string;
  window: string;
  containers: { name: string; usage: Record<string, string> }[];
}
const podMetrics = defineResource<PodMetrics>({
  group: "metrics.k8s.io",
  version: "v1beta1",
  resource: "pods",
  kind: "PodMetrics",
  namespaced: true,
});

type Spec = api.autoscalingV2.HorizontalPodAutoscalerSpec;

interface Setting {
  readonly cluster: TestCluster;
  readonly client: Client;
  /** What each Pod uses from now on. */
  use(cpu: string): Promise<void>;
  replicas(): Promise<number | undefined>;
  condition(type: string): Promise<(string | undefined)[]>;
}

async function withAutoscaler(spec: Partial<Spec>, replicas: number, run: (setting: Setting) => Promise<void>): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock() });
  const { client } = cluster;
  await defineMetrics(client);
  await using _nodes = await simulateNodes({ client });
  const all = [deploymentController, replicaSetController, horizontalPodAutoscalerController];
  await using _controllers = startControllers(
    all.flatMap((one) => one.make({ client, settings: {} })),
    { client },
  );
  await client.resource(deployments).create(autoscaled(replicas));
  await cluster.advance({ minutes: 10 });
  await client.resource(horizontalPodAutoscalers).create(autoscalerOf(spec));
  await run({
    cluster,
    client,
    use: async (cpu) => {
      for (const { metadata } of (await client.resource(pods).list()).items) {
        const { name = "", labels = {} } = metadata ?? {};
        const timestamp = `${new Date(client.clock.now()).toISOString().slice(0, 19)}Z`;
        const containers = [{ name: "c", usage: { cpu } }];
        await client
          .resource(podMetrics)
          .apply({ metadata: { name, labels }, timestamp, window: "30s", containers }, { fieldManager: "test", force: true });
      }
    },
    replicas: async () => (await client.resource(deployments).get("web")).spec?.replicas,
    condition: async (wanted) => {
      const { status } = await client.resource(horizontalPodAutoscalers).get("web");
      const { status: state, reason } = status?.conditions?.find(({ type }) => type === wanted) ?? {};
      return [state, reason];
    },
  });
}

const halfOfCpu = [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }];

test("an autoscaler scales up at once, and down after five minutes of lower recommendations", () =>
  withAutoscaler({ metrics: halfOfCpu }, 2, async ({ cluster, use, replicas, condition, client }) => {
    await use("100m");
    await cluster.advance({ seconds: 14 });
    assert.equal(await replicas(), 2);
    await cluster.advance({ seconds: 2 });
    assert.equal(await replicas(), 4);
    assert.deepEqual(await condition("AbleToScale"), ["True", "SucceededRescale"]);
    await cluster.advance({ minutes: 10 });
    await use("10m");
    await cluster.advance({ minutes: 4 });
    assert.equal(await replicas(), 4);
    assert.deepEqual(await condition("AbleToScale"), ["True", "ScaleDownStabilized"]);
    await cluster.advance({ minutes: 2 });
    assert.equal(await replicas(), 1);
    const { items } = await client.resource(events).list();
    const recorded = items.filter(({ involvedObject }) => involvedObject?.kind === "HorizontalPodAutoscaler").map(({ message }) => message);
    assert.deepEqual(recorded, [
      "New size: 4; reason: cpu resource utilization (percentage of request) above target",
      "New size: 1; reason: All metrics below target",
    ]);
  }));

test("an autoscaler scales no faster than its policies allow", () => {
  const scaleUp = { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] };
  return withAutoscaler({ metrics: [queueLength("10")], behavior: { scaleUp } }, 1, async ({ cluster, replicas, condition }) => {
    await cluster.advance({ seconds: 20 });
    assert.equal(await replicas(), 2);
    await cluster.advance({ seconds: 40 });
    assert.equal(await replicas(), 2);
    assert.deepEqual(await condition("ScalingLimited"), ["True", "ScaleUpLimit"]);
    await cluster.advance({ minutes: 5 });
    assert.equal(await replicas(), 4);
  });
});

test("an autoscaler without metrics reports that in a condition, and does not scale", () =>
  withAutoscaler({ metrics: halfOfCpu }, 2, async ({ cluster, replicas, condition }) => {
    await cluster.advance({ minutes: 1 });
    assert.equal(await replicas(), 2);
    assert.deepEqual(await condition("ScalingActive"), ["False", "FailedGetResourceMetric"]);
  }));

test("an autoscaler that lacks some of its metrics scales up, but not down", () =>
  withAutoscaler({ metrics: [...halfOfCpu, queueLength("10")] }, 2, async ({ cluster, replicas, condition, client }) => {
    await cluster.advance({ minutes: 1 });
    assert.equal(await replicas(), 4);
    assert.deepEqual(await condition("ScalingActive"), ["True", "ValidMetricFound"]);
    await client
      .resource(horizontalPodAutoscalers)
      .patch("web", { type: "merge", patch: { spec: { metrics: [...halfOfCpu, queueLength("100")] } } });
    await cluster.advance({ minutes: 10 });
    assert.equal(await replicas(), 4);
    assert.deepEqual(await condition("ScalingActive"), ["False", "FailedGetResourceMetric"]);
  }));

test("two autoscalers that select the same Pods do not scale", () =>
  withAutoscaler({ metrics: [queueLength("10")] }, 1, async ({ cluster, client, replicas, condition }) => {
    await client
      .resource(horizontalPodAutoscalers)
      .create({ ...autoscalerOf({ metrics: [queueLength("10")] }), metadata: { name: "other" } });
    await cluster.advance({ seconds: 16 });
    const before = await replicas();
    await cluster.advance({ minutes: 1 });
    assert.equal(await replicas(), before);
    assert.deepEqual(await condition("ScalingActive"), ["False", "AmbiguousSelector"]);
  }));
