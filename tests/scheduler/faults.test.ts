import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, events, pods, startControllers } from "@coxswain/client";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { everyFaultAtEveryStep, type Scenario, startCluster, virtualClock } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "../controllers/fault-choice.ts";
import { supervised } from "../controllers/supervised.ts";
import { addNode, pod, scheduled, timeoutMs } from "./scheduler-under-test.ts";

const builtIn = { name: "scheduler", make: () => [createScheduler({ profiles: [defaultProfile()] })] };

/** Two nodes with room for one Pod each; the third Pod waits until one of the others goes. */
const course: Scenario = async ({ client, cluster, signal }) => {
  const admin = cluster.client;
  for (const name of ["n1", "n2"]) await addNode(admin, name, "1");
  await using _ = supervised([builtIn], { client, signal, user: "system:kube-scheduler" });
  const resource = admin.resource(pods);
  const placed = (name: string) => cluster.waitFor(pods, name, ({ spec }) => (spec?.nodeName ?? "") !== "", { timeoutMs });
  for (const name of ["a", "b"]) await resource.create(pod(name, "800m"));
  for (const name of ["a", "b"]) await placed(name);
  await resource.create(pod("c", "800m"));
  await cluster.waitFor(pods, "c", (one) => scheduled(one)?.reason === "Unschedulable", { timeoutMs });
  await checkRoom(admin);
  await resource.delete("a", { gracePeriodSeconds: 0 });
  await placed("c");
  await checkRoom(admin);
  assert.equal(scheduled(await resource.get("c"))?.status, "True");
};

/** No node has more than one. */
async function checkRoom(client: Client): Promise<void> {
  const { items } = await client.resource(pods).list();
  const used = items.flatMap(({ spec }) => spec?.nodeName ?? []);
  assert.equal(new Set(used).size, used.length, `Pods on ${used.join(", ")}`);
}

test("Pods are placed on nodes with room for them under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario: course, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
});

test("two schedulers at once bind each Pod once, and over-commit no node once they have seen each other's Pods", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const admin = cluster.client;
  for (let i = 0; i < 5; i++) await addNode(admin, `n${i}`, "4");
  const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
  for (const name of names) await admin.resource(pods).create(pod(name, "100m"));
  await using stack = new AsyncDisposableStack();
  for (const name of ["one", "two"]) {
    const scheduler = createScheduler({ profiles: [defaultProfile()] });
    stack.use(startControllers([scheduler], { client: cluster.clientFor({ name }), component: "default-scheduler" }));
  }
  for (const name of names) await cluster.waitFor(pods, name, ({ spec }) => (spec?.nodeName ?? "") !== "", { timeoutMs });
  await cluster.advance({ seconds: 30 });
  const { items } = await admin.resource(events).list();
  for (const name of names) {
    const said = items.filter(({ involvedObject, reason }) => involvedObject.name === name && reason === "Scheduled");
    const node = (await admin.resource(pods).get(name)).spec?.nodeName;
    assert.ok(said.length >= 1, name);
    assert.ok(
      said.every(({ message }) => message === `Successfully assigned default/${name} to ${node}`),
      said.map(({ message }) => message).join("\n"),
    );
    assert.equal(scheduled(await admin.resource(pods).get(name))?.status, "True");
  }
});
