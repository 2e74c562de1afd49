import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, nodes, pods, sleep, startControllers } from "@coxswain/client";
import { taintEvictionController } from "@coxswain/controllers";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { startCluster, virtualClock } from "coxswain/testing";

const timeoutMs = 600_000;
const taint = { key: "example.com/leave", effect: "NoExecute" };
const tolerating = (tolerationSeconds: number) => [{ key: taint.key, operator: "Exists", effect: "NoExecute", tolerationSeconds }];
const podOn = (nodeName: string, name: string, tolerations: object[] = []) => ({
  metadata: { name },
  spec: { nodeName, tolerations, containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds: 0 },
});

async function evicting() {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ clock: virtualClock({ autoAdvance: true }) }));
  let setBackMs = 0;
  const { clock } = cluster;
  const ours: Clock = {
    now: () => clock.now() - setBackMs,
    monotonic: () => clock.monotonic(),
    schedule: (afterMs, fn) => clock.schedule(afterMs, fn),
  };
  const client = cluster.client.with({ clock: ours });
  const running = stack.use(startControllers(taintEvictionController.make({ client, settings: {} }), { client }));
  await running.ready;
  const setBack = (ms: number) => {
    setBackMs = ms;
  };
  return { cluster, setBack, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("a tainted Node that is created after its Pods, those that do not tolerate the taint are deleted", async () => {
  await using evictions = await evicting();
  const { cluster } = evictions;
  for (const one of [podOn("late", "leaves"), podOn("late", "stays", tolerating(86_400))]) await cluster.client.resource(pods).create(one);
  await sleep(cluster.clock, 10_000);
  await cluster.client.resource(nodes).create({ metadata: { name: "late" }, spec: { taints: [taint] } });
  await cluster.waitFor(pods, "leaves", "delete", { timeoutMs });
  await cluster.client.resource(pods).get("stays");
});

test("a clock that is set back keeps no Pod longer than it tolerates the taint", async () => {
  await using evictions = await evicting();
  const { cluster, setBack } = evictions;
  await cluster.client.resource(nodes).create({ metadata: { name: "n" }, spec: { taints: [taint] } });
  await cluster.client.resource(pods).create(podOn("n", "leaves", tolerating(60)));
  await sleep(cluster.clock, 10_000);
  const since = cluster.clock.monotonic();
  setBack(3_600_000);
  await cluster.waitFor(pods, "leaves", "delete", { timeoutMs: 7_200_000 });
  assert.ok(cluster.clock.monotonic() - since <= 60_000, `after ${cluster.clock.monotonic() - since} ms`);
});
