import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, events, nodes, pods, sleep } from "@coxswain/client";
import { nodeIpamController, nodeLifecycleController, taintEvictionController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

async function beat(client: Client, name: string): Promise<void> {
  const now = new Date(client.clock.now()).toISOString().replace(/\.\d+Z/, "Z");
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: now, lastTransitionTime: now };
  await client.resource(nodes).patch(name, { type: "strategic", patch: { status: { conditions: [ready] } } }, { subresource: "status" });
}

/** As long as the set has their names. */
async function kubelets(client: Client, alive: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const name of alive) await beat(client, name);
    await sleep(client.clock, 10_000, signal);
  }
}

const keys = ({ spec }: { spec?: { taints?: readonly { key: string; effect: string }[] } }): string =>
  (spec?.taints ?? [])
    .map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`)
    .sort()
    .join(" ");

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([nodeLifecycleController, taintEvictionController], { client, signal });
  const admin = cluster.client;
  const alive = new Set(["a", "b", "c"]);
  for (const name of alive) await admin.resource(nodes).create({ metadata: { name, labels: { "kubernetes.io/os": "linux" } } });
  const stop = new AbortController();
  const beating = kubelets(admin, alive, AbortSignal.any([signal, stop.signal])).catch(() => undefined);
  const pod = (name: string, tolerationSeconds: number) => {
    const tolerations = [{ key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds }];
    return {
      metadata: { name },
      spec: { nodeName: "a", tolerations, containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds: 0 },
    };
  };
  await admin.resource(pods).create(pod("short", 30));
  await admin.resource(pods).create(pod("long", 86_400));
  const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await admin.resource(pods).patch("long", { type: "strategic", patch: { status: running } }, { subresource: "status" });
  await cluster.waitFor(nodes, "a", ({ metadata }) => metadata?.labels?.["beta.kubernetes.io/os"] === "linux", { timeoutMs });

  alive.delete("a");
  const lost = await cluster.waitFor(nodes, "a", (one) => keys(one) === "unreachable:NoExecute unreachable:NoSchedule", { timeoutMs });
  assert.equal(lost.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "NodeStatusUnknown");
  await cluster.waitFor(pods, "long", "condition=Ready=False", { timeoutMs });
  const evicted = await cluster.waitFor(pods, "short", "delete", { timeoutMs });
  const why = evicted?.status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason;
  assert.ok(evicted === undefined || why === "DeletionByTaintManager", "it was gone before it was read, or its condition has the reason");

  alive.add("a");
  await cluster.waitFor(nodes, "a", (one) => keys(one) === "", { timeoutMs });
  assert.equal((await admin.resource(pods).get("long")).metadata?.deletionTimestamp, undefined);
  stop.abort();
  await beating;
};

test("a Node whose heartbeats stop is tainted, and untainted when they resume, under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
});

const rangesScenario: Scenario = async ({ client, cluster, signal }) => {
  const settings = { nodeIpam: { clusterCidrs: ["10.244.0.0/22", "fd00:10:244::/56"], serviceCidrs: ["10.244.3.0/24"] } };
  await using _ = supervised([nodeIpamController], { client, signal, settings });
  const all = cluster.client.resource(nodes);
  const rangesOf = async (name: string): Promise<readonly string[]> => {
    const node = await cluster.waitFor(nodes, name, ({ spec }) => spec?.podCIDRs !== undefined, { timeoutMs });
    assert.equal(node.spec?.podCIDR, node.spec?.podCIDRs?.[0]);
    return node.spec?.podCIDRs ?? [];
  };
  await all.create({ metadata: { name: "own" }, spec: { podCIDR: "10.244.1.0/24" } });
  for (const name of ["a", "b"]) await all.create({ metadata: { name } });
  const [a, b] = [await rangesOf("a"), await rangesOf("b")];
  assert.deepEqual([a[0], b[0]].sort(), ["10.244.0.0/24", "10.244.2.0/24"]);
  assert.equal(new Set([a[1], b[1]]).size, 2);

  await all.create({ metadata: { name: "c" } });
  const isReported = async (): Promise<boolean> =>
    (await cluster.client.resource(events).list()).items.some(({ reason }) => reason === "CIDRNotAvailable");
  for (let tries = 0; !(await isReported()); tries++) {
    assert.ok(tries < 600, "that no range is left is said");
    await sleep(client.clock, 10_000, signal);
  }
  assert.equal((await all.get("c")).spec?.podCIDRs, undefined);
  await all.delete("a");
  assert.equal((await rangesOf("c"))[0], a[0]);
};

test("each Node gets a range for its Pods that no other has, under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario: rangesScenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(20), `${runs} runs`);
});
