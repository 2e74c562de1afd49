import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, pods, sleep } from "@coxswain/client";
import { createSimulatedRuntime, type SimulatedRuntime } from "@coxswain/kubelet";
import { unknownPath } from "@coxswain/machinery";
import { everyFaultAtEveryStep, FaultScript, type Scenario, type TestCluster } from "coxswain/testing";
import { chosenFaults, faultChoice, fewestRuns } from "../controllers/fault-choice.ts";
import { Process } from "../robustness/convergence/fault-choice.ts";
import { createPod, isReady, type Pod, script, startKubelet, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 7_200_000;

/** When its process dies another takes its place, knowing nothing but what the runtime has. */
function supervisedKubelet(client: Client, runtime: SimulatedRuntime, signal: AbortSignal): AsyncDisposable {
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  const run = async () => {
    while (!end.aborted) {
      const process = new Process("kubelet", faultChoice, client.clock);
      const own = client.with({ transport: process.transport(client.transport) });
      await using _ = startKubelet({ client: own, runtime });
      await new Promise<void>((resolve) => {
        for (const over of [end, process.dead]) over.aborted ? resolve() : over.addEventListener("abort", () => resolve(), { once: true });
      });
      if (!end.aborted) await sleep(client.clock, 10_000, end);
    }
  };
  const running = run().catch(() => undefined);
  return {
    [Symbol.asyncDispose]: () => {
      stop.abort(new Error("the scenario is over"));
      return running;
    },
  };
}

const order = ["", "Pending", "Running", "Succeeded", "Failed"];

/** Follows the statuses of a Pod. */
function watchPhases(client: Client): AsyncDisposable & { readonly flaws: string[] } {
  const stop = new AbortController();
  const flaws: string[] = [];
  const before = new Map<string, Pod>();
  const watching = (async () => {
    for await (const event of client.resource(pods).watch({ signal: stop.signal })) {
      if (event.type === "BOOKMARK" || event.type === "DELETED") continue;
      for (const pod of event.type === "LISTED" ? event.items : [event.object]) {
        const uid = pod.metadata?.uid ?? "";
        const last = before.get(uid);
        before.set(uid, pod);
        if (last === undefined) continue;
        const [was, is] = [last, pod].map(({ status }) => order.indexOf(status?.phase ?? "")) as [number, number];
        if (is < was) flaws.push(`${last.status?.phase} became ${pod.status?.phase}`);
        const [had, has] = [last, pod].map((one) => statusOf(one)?.restartCount ?? 0) as [number, number];
        if (has < had) flaws.push(`${had} restarts became ${has}`);
      }
    }
  })().catch(() => undefined);
  return {
    flaws,
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return watching;
    },
  };
}

const life: Scenario = async ({ client, cluster, signal }) => {
  const { clock } = cluster;
  const started: string[] = [];
  await using runtime = createSimulatedRuntime({
    clock,
    random: cluster.random,
    before: (verb, about) => void (verb === "createContainer" && started.push(about)),
  });
  await using _kubelet = supervisedKubelet(client, runtime, signal);
  await using watched = watchPhases(cluster.client);
  const admin = cluster.client;
  await createPod(admin, {}, script({ "stop-after": "3s" }));
  await cluster.waitFor(pods, "web", isReady, { timeoutMs });
  await createPod(admin, { restartPolicy: "OnFailure" }, { name: "job", ...script({ "run-for": "2s", "exit-code": "1,0" }) });
  const job = await cluster.waitFor(pods, "job", ({ status }) => status?.phase === "Succeeded", { timeoutMs });
  assert.equal(statusOf(job)?.restartCount, 1);
  await admin.resource(pods).delete("web");
  await cluster.waitFor(pods, "web", "delete", { timeoutMs });
  await nothingOf(cluster, runtime, "web");
  assert.deepEqual(started, ["main", "main", "main"]);
  assert.deepEqual(watched.flaws, []);
};

async function nothingOf({ clock }: TestCluster, runtime: SimulatedRuntime, name: string): Promise<void> {
  const signal = new AbortController().signal;
  for (let left = 600; ; left--) {
    const sandboxes = await runtime.listPodSandboxes(signal);
    if (sandboxes.every(({ pod }) => pod.name !== name)) return;
    if (left === 0) throw new Error("something is left of a Pod that is gone");
    await sleep(clock, 1_000);
  }
}

test("Pods reach the same state under injected faults, and no container starts twice", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario: life, ...chosenFaults });
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
});

test("a Pod is not taken for gone by a 404 that is not about it", async () => {
  const fault = { kind: "status", error: unknownPath() } as const;
  const faults = new FaultScript([
    { on: { resource: "pods", subresource: "status", verb: "patch" }, nth: 1, fault },
    { on: { resource: "pods", verb: "delete" }, nth: 1, fault },
  ]);
  await using node = await startNode({ faults });
  await node.create({});
  await node.cluster.waitFor(pods, "web", isReady, { timeoutMs });
  await node.cluster.client.resource(pods).delete("web");
  await node.cluster.waitFor(pods, "web", "delete", { timeoutMs });
  assert.equal(node.warnings.length, 2);
});
