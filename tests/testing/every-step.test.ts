import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, defineResource, isAlreadyExists, isNotFound, type KubeObject } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { everyFaultAtEveryStep, randomFaults, type Scenario, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const configMaps = defineResource<ConfigMap>({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true });

/** Keeps a copy of `source`, level by level: it reads the current state whatever the event was, and retries when it fails. */
async function keepCopy(client: Client, signal: AbortSignal): Promise<void> {
  const maps = client.resource(configMaps);
  for await (const _ of maps.watch({ fieldSelector: "metadata.name=source", signal })) {
    while (!(await copied(client))) await sleep(client.clock, 1_000, signal);
  }
}

async function copied(client: Client): Promise<boolean> {
  const maps = client.resource(configMaps);
  try {
    const { data = {} } = await maps.get("source");
    const copy = await maps.get("copy").catch((error) => (isNotFound(error) ? undefined : Promise.reject(error)));
    if (copy === undefined) await maps.create({ metadata: { name: "copy" }, data });
    else if (copy.data?.n !== data.n) await maps.update({ ...copy, data });
    return true;
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return isNotFound(error);
  }
}

const change = async (cluster: TestCluster, n: string) =>
  cluster.client.resource(configMaps).patch("source", { type: "merge", patch: { data: { n } } });

const converges: Scenario = async ({ client, cluster, signal }) => {
  const running = keepCopy(client, signal).catch(() => undefined);
  await cluster.client.resource(configMaps).create({ metadata: { name: "source" }, data: { n: "1" } });
  await cluster.waitFor(configMaps, "copy", "create", { timeoutMs: 3_600_000 });
  await change(cluster, "2");
  await cluster.waitFor(configMaps, "copy", ({ data }) => data?.n === "2", { timeoutMs: 3_600_000 });
  await Promise.race([running, sleep(cluster.clock, 1)]);
};

test("a level-triggered controller converges under injected faults", async () => {
  const { steps, runs } = await everyFaultAtEveryStep({ scenario: converges });
  assert.ok(steps.some(({ kind }) => kind === "event"));
  assert.ok(runs > 40, `${runs}`);
});

test("of a share of the runs the seed says which", async () => {
  const faults = { slow: { kind: "slow", ms: 1 }, "lose-request": { kind: "lose-request" } } as const;
  const scenario: Scenario = async ({ client }) => {
    for (let i = 0; i < 50; i++)
      await client
        .resource(configMaps)
        .list()
        .catch(() => undefined);
  };
  const runsOf = async (seed: number) => {
    const names: string[] = [];
    await everyFaultAtEveryStep({ scenario, faults, share: 0.25, seed, onRun: (name) => void names.push(name) });
    return names;
  };
  const names = await runsOf(1);
  assert.ok(names.length > 10 && names.length < 40, `${names.length} of 100`);
  assert.deepEqual(new Set(names.map((name) => name.split("@")[0])), new Set(Object.keys(faults)));
  assert.deepEqual(await runsOf(1), names);
  assert.notDeepEqual(await runsOf(2), names);
});

/** Believes that what was not answered did not happen. */
const credulous: Scenario = async ({ client }) => {
  const create = () => client.resource(configMaps).create({ metadata: { name: "one" } });
  await create().catch(create);
};

test("a failure is reported with its fault, its step and how to repeat it", async () => {
  const failed = await everyFaultAtEveryStep({ scenario: credulous, seed: 3 }).catch((error: unknown) => error);
  assert.ok(failed instanceof AggregateError);
  assert.equal(failed.errors.length, 1);
  assert.ok(isAlreadyExists(failed.errors[0].cause));
  assert.match(
    failed.message,
    /^1 of \d+ runs failed; one of them again: \{ only: "lose-answer@1", seed: 3 \}\n {2}lose-answer@1 \(create configmaps default\/one\): .* already exists$/,
  );
  const names: string[] = [];
  await assert.rejects(
    everyFaultAtEveryStep({ scenario: credulous, only: "lose-answer@1", onRun: (name) => void names.push(name) }),
    AggregateError,
  );
  assert.deepEqual(names, ["lose-answer@1"]);
  await assert.rejects(everyFaultAtEveryStep({ scenario: credulous, only: "slow@99" }), /no run is called slow@99/);
});

test("a failure is reported also when the cleanup after it fails", async () => {
  let troubled = false;
  const scenario: Scenario = async ({ client }) => {
    await using _late = { [Symbol.asyncDispose]: () => (troubled ? Promise.reject(new Error("it does not end")) : Promise.resolve()) };
    await client.resource(configMaps).create({ metadata: { name: "one" } });
    if (troubled) throw new Error("three instead of two");
  };
  const onRun = (): void => {
    troubled = true;
  };
  await assert.rejects(everyFaultAtEveryStep({ scenario, onRun, faults: { slow: { kind: "slow", ms: 1 } } }), {
    message: /: three instead of two\n {4}and then, in clearing away: it does not end$/,
  });
});

test("a failure under random faults is reported with its seed", async () => {
  const failed = await randomFaults({ scenario: credulous, seeds: [1, 2, 3], chance: 1, faults: { lost: { kind: "lose-answer" } } }).catch(
    (error: unknown) => error,
  );
  assert.ok(failed instanceof AggregateError);
  assert.match(failed.message, /^3 of 3 runs failed; one of them again: \{ seeds: \[1\] \}\n {2}seed 1 \(lose-answer(, lose-answer)*\): /);
});

test("every run begins with the same state", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  await cluster.client.resource(configMaps).create({ metadata: { name: "source" }, data: { n: "0" } });
  const found = new Set<string>();
  await everyFaultAtEveryStep({
    from: cluster.snapshot(),
    faults: { slow: { kind: "slow", ms: 1_000 } },
    scenario: async ({ client }) => {
      const { data, metadata } = await client
        .resource(configMaps)
        .patch("source", { type: "json", patch: [{ op: "test", path: "/data/n", value: "0" }] });
      found.add(`${metadata?.uid} ${data?.n}`);
      await client.resource(configMaps).patch("source", { type: "merge", patch: { data: { n: "1" } } });
    },
  });
  assert.equal(found.size, 1);
});

test("a run that does not end is ended, by virtual time or by the real one", async () => {
  const forever: Scenario = ({ cluster }) => cluster.waitFor(configMaps, "never", "create", { timeoutMs: 1e9 });
  await assert.rejects(
    everyFaultAtEveryStep({ scenario: forever, maxVirtualMs: 7_200_000 }),
    /did not end within 7200000 ms of virtual time/,
  );
  await assert.rejects(
    everyFaultAtEveryStep({ scenario: () => new Promise(() => undefined), runTimeoutMs: 50 }),
    /did not end within 50 ms/,
  );
});
