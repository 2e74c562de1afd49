/** A scheduler with extenders: a program in another language, and one in this process. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { pods, priorityClasses, startControllers } from "@coxswain/client";
import { systemClock } from "@coxswain/machinery";
import { createScheduler, defaultProfile, type Extender, httpExtender } from "@coxswain/scheduler";
import { startCluster } from "coxswain/testing";
import { addNode, pod, scheduled, startScheduling } from "./scheduler-under-test.ts";

const python = spawnSync("python3", ["--version"]).status === 0;

async function startProgram() {
  const child = spawn("python3", [join(import.meta.dirname, "extender", "extender.py")], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

test("an extender in Python filters and prefers", { skip: python ? false : "there is no python3" }, async () => {
  await using program = await startProgram();
  const config = { urlPrefix: program.url, filterVerb: "filter", prioritizeVerb: "prioritize", weight: 100 };
  // Programs do not live in virtual time.
  await using cluster = await startCluster();
  const { client } = cluster;
  const scheduler = createScheduler({ profiles: [defaultProfile()], extenders: [httpExtender(config, { clock: systemClock })] });
  await using _ = startControllers([scheduler], { client: cluster.clientFor({ name: "system:kube-scheduler" }) });
  await scheduler.ready;
  const placed = async (name: string) => (await cluster.waitFor(pods, name, ({ spec }) => (spec?.nodeName ?? "") !== "")).spec?.nodeName;

  await addNode(client, "loud", "64", { noise: "loud" });
  await client.resource(pods).create(pod("p"));
  const refused = await cluster.waitFor(pods, "p", (one) => scheduled(one)?.message?.includes("loud") === true);
  assert.equal(
    scheduled(refused)?.message,
    "0/1 nodes are available: 1 node(s) were too loud. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  );
  await addNode(client, "some", "64", { noise: "some" });
  await addNode(client, "none", "1", { noise: "none" });
  assert.notEqual(await placed("p"), "loud");
  await client.resource(pods).create(pod("q"));
  assert.equal(await placed("q"), "none");
});

const silent: Extender = {
  name: "in-process",
  ignorable: false,
  weight: 1,
  does: { filter: false, prioritize: false, bind: false, preempt: false },
  isInterested: () => true,
  filter: async (_pod, nodes) => ({ nodes, failed: new Map(), unresolvable: new Map() }),
  prioritize: async () => new Map(),
  bind: async () => undefined,
  preempt: async (_pod, candidates) => new Map(candidates),
};
const broken = {
  ...silent,
  does: { ...silent.does, filter: true },
  filter: async () => {
    throw new Error("out of order");
  },
};

test("an extender that fails fails the attempt of that Pod", async () => {
  await using scheduling = await startScheduling({ extenders: [{ ...broken, isInterested: ({ name }) => name === "p" }] });
  const { client } = scheduling;
  await addNode(client, "a");
  await client.resource(pods).create(pod("p"));
  const [reason, message] = await scheduling.refused("p");
  assert.equal(reason, "SchedulerError");
  assert.match(message, /out of order/);
  await client.resource(pods).create(pod("q"));
  assert.equal(await scheduling.placed("q"), "a");
});

test("an extender that may fail is done without", async () => {
  await using scheduling = await startScheduling({ extenders: [{ ...broken, ignorable: true }] });
  await addNode(scheduling.client, "a");
  await scheduling.client.resource(pods).create(pod("p"));
  assert.equal(await scheduling.placed("p"), "a");
});

test("an extender binds in the place of the scheduler", async () => {
  const bound: string[] = [];
  let client: Awaited<ReturnType<typeof startScheduling>>["client"] | undefined;
  const binder: Extender = {
    ...silent,
    does: { ...silent.does, bind: true },
    bind: async ({ name, namespace, uid }, node) => {
      bound.push(`${name} to ${node}`);
      const binding = { metadata: { name, namespace, uid }, target: { kind: "Node", name: node } };
      await client?.resource(pods, namespace).subresource(name, "binding").create(binding);
    },
  };
  await using scheduling = await startScheduling({ extenders: [binder] });
  client = scheduling.client;
  await addNode(client, "a");
  await client.resource(pods).create(pod("p"));
  assert.equal(await scheduling.placed("p"), "a");
  assert.deepEqual(bound, ["p to a"]);
});

test("an extender chooses other victims", async () => {
  const asked: string[][] = [];
  const chooser: Extender = {
    ...silent,
    does: { ...silent.does, preempt: true },
    preempt: async (_pod, candidates) => {
      asked.push([...candidates.keys()]);
      return new Map([...candidates].filter(([node]) => node === "b"));
    },
  };
  await using scheduling = await startScheduling({ extenders: [chooser] });
  const { client } = scheduling;
  for (const node of ["a", "b"]) await addNode(client, node, "1");
  for (const name of ["x", "y"]) {
    await client.resource(pods).create(pod(name, "1"));
    await scheduling.placed(name);
  }
  await client.resource(priorityClasses).create({ metadata: { name: "high" }, value: 10 });
  await client.resource(pods).create(pod("p", "1", { priorityClassName: "high" }));
  const nominated = await scheduling.cluster.waitFor(pods, "p", ({ status }) => status?.nominatedNodeName !== undefined, {
    timeoutMs: 60_000,
  });
  assert.equal(nominated.status?.nominatedNodeName, "b");
  assert.deepEqual(asked[0]?.toSorted(), ["a", "b"]);
});
