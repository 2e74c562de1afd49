import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, type KubeObject } from "@coxswain/client";
import { startCluster, virtualClock, WaitError } from "coxswain/testing";

interface Pod extends KubeObject {
  spec?: object;
  status?: { phase?: string; observedGeneration?: number; conditions?: { type: string; status: string; observedGeneration?: number }[] };
}
const pods = defineResource<Pod>({ group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true });
const pod: Pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web:1" }] } };

const cases: readonly { readonly until: string; readonly status: NonNullable<Pod["status"]>; readonly holds: boolean }[] = [
  { until: "create", status: {}, holds: true },
  { until: "condition=Ready", status: { conditions: [{ type: "Ready", status: "True" }] }, holds: true },
  { until: "condition=ready=true", status: { conditions: [{ type: "Ready", status: "True" }] }, holds: true },
  { until: "condition=Ready=False", status: { conditions: [{ type: "Ready", status: "False" }] }, holds: true },
  { until: "condition=Ready", status: { conditions: [{ type: "Ready", status: "False" }] }, holds: false },
  { until: "condition=Ready", status: { conditions: [{ type: "Ready", status: "True", observedGeneration: 1 }] }, holds: true },
  { until: "condition=Ready", status: { conditions: [{ type: "ContainersReady", status: "True" }] }, holds: false },
  { until: "jsonpath={.status.phase}=Running", status: { phase: "Running" }, holds: true },
  { until: "jsonpath='{.status.phase}'=Running", status: { phase: "Running" }, holds: true },
  { until: "jsonpath=.status.phase=Running", status: { phase: "Pending" }, holds: false },
  { until: "jsonpath={.status.phase}", status: { phase: "Pending" }, holds: true },
  { until: "jsonpath={.status.podIP}", status: {}, holds: false },
  {
    until: 'jsonpath={.status.conditions[?(@.type=="Ready")].status}=True',
    status: { conditions: [{ type: "Ready", status: "True" }] },
    holds: true,
  },
];
for (const { until, status, holds } of cases) {
  test(`${until} ${holds ? "holds" : "does not hold"} with ${JSON.stringify(status)}`, async () => {
    await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    const client = cluster.client.resource(pods);
    const wait = cluster.waitFor(pods, "web", until, { timeoutMs: 5_000 });
    wait.catch(() => undefined);
    await client.create(pod);
    const { metadata } = await client.get("web");
    await client.updateStatus({ ...pod, metadata: { name: "web", resourceVersion: metadata?.resourceVersion ?? "" }, status });
    if (holds) assert.equal((await wait).metadata?.name, "web");
    else await assert.rejects(wait, WaitError);
  });
}

test("waitFor that times out reports the last state seen", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.client.resource(pods).create(pod);
  await assert.rejects(cluster.waitFor(pods, "web", "condition=Ready", { timeoutMs: 60_000 }), (error) => {
    assert.ok(error instanceof WaitError);
    assert.match(
      error.message,
      /^pods "web" in namespace "default": condition=Ready did not hold within 60000 ms\. Last seen:\napiVersion: v1\nkind: Pod\n/,
    );
    assert.equal(error.lastSeen?.metadata?.name, "web");
    return true;
  });
  await assert.rejects(cluster.waitFor(pods, "none", "create", { timeoutMs: 1 }), /It was never seen\.(?:\nThe run is recorded in .*)?$/);
});

test("waitFor gives its predicate the object as it is", async () => {
  await using cluster = await startCluster();
  const wait = cluster.waitFor(pods, "web", ({ metadata }) => metadata?.labels?.tier === "front");
  await cluster.client.resource(pods).create(pod);
  await cluster.client.resource(pods).patch("web", { type: "merge", patch: { metadata: { labels: { tier: "front" } } } });
  assert.equal((await wait).metadata?.labels?.tier, "front");
});

test("a deletion is waited for, also one that has happened", async () => {
  await using cluster = await startCluster();
  await cluster.client.resource(pods).create(pod);
  const wait = cluster.waitFor(pods, "web", "delete");
  await cluster.client.resource(pods).delete("web", { gracePeriodSeconds: 0 });
  assert.equal((await wait)?.metadata?.name, "web");
  assert.equal(await cluster.waitFor(pods, "web", "delete"), undefined);
});

test("a wait ends with its signal, and with a condition that is none", async () => {
  await using cluster = await startCluster();
  const stop = new AbortController();
  const wait = cluster.waitFor(pods, "web", "create", { signal: stop.signal });
  stop.abort(new Error("no more"));
  await assert.rejects(wait, /no more/);
  await assert.rejects(cluster.waitFor(pods, "web", "ready"), /"ready" is no condition/);
});
