/** A reconcile that fails is seen: in the error of a wait, in the health of its manager, and in a log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, configMaps, controller, done, type Reconcile, secrets, startControllers, Unretryable } from "@coxswain/client";
import { startCluster, virtualClock, WaitError } from "coxswain/testing";

const map = (name: string) => ({ metadata: { name }, data: { mode: "fast" } });
const mirror = (reconcile: Reconcile<api.coreV1.ConfigMap>) => controller({ name: "mirror", for: configMaps, reconcile });
const hour = { timeoutMs: 3_600_000 };

/** The error of a wait for a Secret that never comes. */
async function failedWait(reconcile: Reconcile<api.coreV1.ConfigMap>): Promise<WaitError> {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await using _controllers = startControllers([mirror(reconcile)], { client: cluster.clientFor({ name: "mirror" }) });
  await cluster.client.resource(configMaps).create(map("settings"));
  const error = await cluster.waitFor(secrets, "settings", "create", hour).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof WaitError);
  return error;
}

test("the error of a wait shows the reconciles that fail, of any client of the cluster", async () => {
  const { message, failures } = await failedWait(async () => {
    throw new Error("no such bucket", { cause: new Error("404") });
  });
  const lines = message.split("\n");
  assert.equal(lines[0], 'secrets "settings" in namespace "default": create did not hold within 3600000 ms.');
  assert.equal(lines[1], "Reconciles that fail:");
  assert.match(lines[2] ?? "", /^ {2}controller "mirror", configmaps default\/settings: failed \d+ times in a row: no such bucket: 404$/);
  assert.equal(lines[3], "It was never seen.");
  const [failure] = failures;
  assert.ok(failure !== undefined && failure.attempts > 5 && failure.retried);
  assert.deepEqual(failure.object, { namespace: "default", name: "settings" });
});

test("of a mistake in a reconcile the error of a wait shows where it is", async () => {
  const { message } = await failedWait(async (_ref, { object }) => {
    untyped(object).spec.replicas++;
    return done;
  });
  assert.match(
    message,
    /times in a row: TypeError: Cannot read properties of undefined \(reading 'replicas'\)\n.* at .*reconcile-failures\.test\.ts/,
  );
});

const untyped = (value: unknown) => value as { spec: { replicas: number } };

test("what is not retried is said to be so", async () => {
  const { message } = await failedWait(async () => {
    throw new Unretryable("the name is taken");
  });
  assert.match(message, /configmaps default\/settings: failed once, not retried: the name is taken\n/);
});

test("of many objects that fail the latest are shown, and how many there are besides", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const failing = mirror(async ({ name }) => {
    throw new Error(`cannot mirror ${name}`);
  });
  await using _controllers = startControllers([failing], cluster);
  const maps = cluster.client.resource(configMaps);
  for (let i = 0; i < 8; i++) await maps.create(map(`of-${i}`));
  await assert.rejects(cluster.waitFor(secrets, "none", "create", hour), ({ message }: WaitError) => {
    assert.equal(message.split("\n").filter((line) => line.includes("cannot mirror")).length, 5);
    return /\n {2}and 3 more\n/.test(message);
  });
});

test("a wait shows no failure that is over, and no managed fields", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  let broken = true;
  const flaky = mirror(async (ref, { client }) => {
    if (broken) throw new Error("not yet");
    await client.resource(secrets).apply({ metadata: { name: ref.name }, stringData: { mode: "fast" } }, { fieldManager: "mirror" });
    return done;
  });
  await using controllers = startControllers([flaky], cluster);
  await cluster.client.resource(configMaps).create(map("settings"));
  await assert.rejects(cluster.waitFor(secrets, "settings", "create", { timeoutMs: 10_000 }), /not yet/);
  assert.equal(controllers.healthy().failing.length, 1);
  broken = false;
  await cluster.waitFor(secrets, "settings", "create", hour);
  await assert.rejects(
    cluster.waitFor(secrets, "settings", "jsonpath={.data.speed}", hour),
    ({ message, failures, lastSeen }: WaitError) => {
      assert.deepEqual(failures, []);
      assert.doesNotMatch(message, /Reconciles that fail|managedFields/);
      assert.match(message, /Last seen:\napiVersion: v1\n/);
      assert.ok(lastSeen?.metadata?.managedFields !== undefined, "programs still have them");
      return true;
    },
  );
  assert.deepEqual(controllers.healthy().failing, []);
});

test("health names the objects that keep failing, and stays ok", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const failing = mirror(async ({ name }) => {
    if (name !== "good") throw new Error("never");
    await cluster.client.resource(secrets).create({ metadata: { name } });
    return done;
  });
  await using controllers = startControllers([failing], cluster);
  for (const name of ["bad", "good"]) await cluster.client.resource(configMaps).create(map(name));
  await cluster.waitFor(secrets, "good", "create", hour);
  const { ok, problems, failing: found } = controllers.healthy();
  assert.deepEqual({ ok, problems }, { ok: true, problems: [] });
  assert.deepEqual(
    found.map(({ controller: name, object, error }) => [name, object.name, (error as Error).message]),
    [["mirror", "bad", "never"]],
  );
});

test("controllers that have ended fail no longer", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  {
    const failing = mirror(async () => {
      throw new Error("never");
    });
    await using _controllers = startControllers([failing], cluster);
    await cluster.client.resource(configMaps).create(map("settings"));
    await assert.rejects(cluster.waitFor(secrets, "settings", "create", { timeoutMs: 1_000 }), /never/);
  }
  assert.deepEqual(cluster.client.reconcileFailures.list(), []);
});

test("the log of a cluster is that of the controllers on its clients, unless they have one", async () => {
  const lines: string[] = [];
  const logTo = (where: string) => {
    const line = (fields: object, message: string) => void lines.push(`${where}: ${message}: ${"error" in fields && fields.error}`);
    return { debug: () => undefined, info: line, warn: line, error: line };
  };
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }), log: logTo("cluster") });
  const failing = mirror(async () => {
    throw new Error("never");
  });
  for (const options of [cluster, { client: cluster.client, log: logTo("own") }]) {
    await using _controllers = startControllers([failing], options);
    await cluster.client.resource(configMaps).apply(map("settings"), { fieldManager: "test" });
    await assert.rejects(cluster.waitFor(secrets, "settings", "create", { timeoutMs: 10 }), WaitError);
  }
  assert.deepEqual([...new Set(lines)], ["cluster: failed to reconcile: never", "own: failed to reconcile: never"]);
});
