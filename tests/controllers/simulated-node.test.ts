import assert from "node:assert/strict";
import { test } from "node:test";
import { leases, pods } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";
import { simulateNodes } from "./simulated-node.ts";
import type { Pod } from "./simulated-pod.ts";

const pod = (name: string, annotations: Record<string, string> = {}, restartPolicy = "Always"): Pod => ({
  metadata: { name, annotations },
  spec: { restartPolicy, containers: [{ name: "c", image: "i" }] },
});

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

test("Pods are bound in turn to the nodes, and run and end as their annotations say", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  await using _ = await simulateNodes({ client, nodes: 2, stopAfterMs: 3_000 });
  const resource = client.resource(pods);
  for (const name of ["a", "b"]) await resource.create(pod(name));
  const nodeNames = await Promise.all(["a", "b"].map(async (name) => (await cluster.waitFor(pods, name, isReady)).spec?.nodeName));
  assert.deepEqual(nodeNames.toSorted(), ["node-0", "node-1"]);

  const before = clock.now();
  await resource.create(pod("slow", { "simulated.coxswain/ready-after-ms": "20000" }));
  await cluster.waitFor(pods, "slow", isReady);
  assert.ok(clock.now() - before >= 20_000 && clock.now() - before < 21_000);

  await resource.create(pod("fails", { "simulated.coxswain/exit-code": "3" }, "Never"));
  const failed = await cluster.waitFor(pods, "fails", "jsonpath={.status.phase}=Failed");
  assert.equal(failed.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);

  await resource.create(pod("crashes", { "simulated.coxswain/exit-code": "1", "simulated.coxswain/after-ms": "1000" }));
  await cluster.waitFor(pods, "crashes", ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 3);

  await resource.create(pod("succeeds", { "simulated.coxswain/exit-code": "0" }, "OnFailure"));
  await cluster.waitFor(pods, "succeeds", "jsonpath={.status.phase}=Succeeded");

  const asked = clock.now();
  await resource.delete("a");
  const last = await cluster.waitFor(pods, "a", "delete");
  assert.equal(last?.status?.phase, "Succeeded");
  assert.ok(clock.now() - asked >= 3_000);
});

test("a simulated node that is stopped does nothing, and continues when it is resumed", async () => {
  const clock = virtualClock();
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  await using nodes = await simulateNodes({ client, nodes: ["n"] });
  nodes.silence("n");
  await client.resource(pods).create(pod("a"));
  await cluster.advance({ minutes: 1 });
  const phase = async () => (await client.resource(pods).get("a")).status?.phase;
  const renewed = async () => (await client.resource(leases, "kube-node-lease").get("n")).spec?.renewTime;
  const silent = await renewed();
  assert.equal(await phase(), "Pending");
  await nodes.wake("n");
  await cluster.advance({ seconds: 25 });
  assert.equal(await phase(), "Running");
  assert.notEqual(await renewed(), silent);
});
