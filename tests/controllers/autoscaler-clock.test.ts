import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, horizontalPodAutoscalers, sleep, startControllers, type Transport } from "@coxswain/client";
import { horizontalPodAutoscalerController } from "@coxswain/controllers";
import { startCluster, virtualClock } from "coxswain/testing";

test("an autoscaler continues after the wall clock was set back, and reports an obstacle once", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client, clock } = cluster;
  let setBackMs = 0;
  const ours: Clock = {
    now: () => clock.now() - setBackMs,
    monotonic: () => clock.monotonic(),
    schedule: (afterMs, fn) => clock.schedule(afterMs, fn),
  };
  let syncs = 0;
  const send: Transport["send"] = (request) => {
    if (request.path.includes("/scale")) syncs++;
    return client.transport.send(request);
  };
  const theirs = client.with({ clock: ours, transport: { ...client.transport, send } });
  const warned: string[] = [];
  const ignore = () => undefined;
  const warn = (fields: object) => void warned.push(JSON.stringify(fields));
  const log = { debug: ignore, info: ignore, warn, error: warn };
  await using running = startControllers(horizontalPodAutoscalerController.make({ client: theirs, settings: {} }), { client: theirs, log });
  await running.ready;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "missing" };
  await client.resource(horizontalPodAutoscalers).create({ metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 3 } });
  await sleep(clock, 60_000);
  const before = syncs;
  setBackMs = 3_600_000;
  await sleep(clock, 60_000);
  assert.ok(before >= 3 && syncs - before >= 3, `${before} and ${syncs - before} looks`);
  assert.deepEqual(warned, [
    JSON.stringify({
      controller: "horizontal-pod-autoscaler-controller",
      namespace: "default",
      name: "web",
      error: 'deployments.apps "missing" not found',
    }),
  ]);
});
