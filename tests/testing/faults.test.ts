import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Client,
  ConnectionError,
  defineResource,
  isConflict,
  isExpired,
  isNotFound,
  type KubeObject,
  type WatchEvent,
} from "@coxswain/client";
import { serviceUnavailable } from "@coxswain/machinery";
import { type FaultRule, FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const configMaps = defineResource<ConfigMap>({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true });

interface Set extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly script: FaultScript;
  /** The one with the faults. */
  readonly client: Client;
}

async function setUp(...rules: FaultRule[]): Promise<Set> {
  const cluster = await startCluster({ clock: virtualClock() });
  const script = new FaultScript(rules);
  await cluster.client.resource(configMaps).create({ metadata: { name: "shared" }, data: { n: "0" } });
  return {
    cluster,
    script,
    client: cluster.clientFor({ name: "victim" }, { faults: script }),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

const change = (client: Client, n: string) => client.resource(configMaps).patch("shared", { type: "merge", patch: { data: { n } } });
const value = async ({ cluster }: Set) => (await cluster.client.resource(configMaps).get("shared")).data?.n;
const kinds = ({ script }: Set) => script.fired.map(({ fault }) => fault.kind);

test("the second write is a conflict, in Kubernetes' own words, and changes nothing", async () => {
  await using set = await setUp({ on: { verb: "write" }, nth: 2, fault: { kind: "conflict" } });
  await change(set.client, "1");
  await assert.rejects(change(set.client, "2"), (error) => {
    assert.ok(isConflict(error));
    assert.deepEqual(error.status, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'Operation cannot be fulfilled on configmaps "shared": the object has been modified; please apply your changes to the latest version and try again',
      reason: "Conflict",
      details: { name: "shared", kind: "configmaps" },
      code: 409,
    });
    return true;
  });
  assert.equal(await value(set), "1");
  await change(set.client, "3");
  assert.deepEqual(kinds(set), ["conflict"]);
});

test("others are not hit", async () => {
  await using set = await setUp({ fault: { kind: "lose-request" } });
  await change(set.cluster.client, "1");
  await assert.rejects(change(set.client, "2"), ConnectionError);
  assert.equal(await value(set), "1");
});

test("an answer is lost after the write took effect, a request before", async () => {
  await using set = await setUp(
    { on: { verb: "patch" }, nth: 1, fault: { kind: "lose-answer" } },
    { on: { verb: "patch" }, nth: 2, fault: { kind: "lose-request" } },
  );
  await assert.rejects(change(set.client, "1"), { name: "ConnectionError", unsent: false });
  assert.equal(await value(set), "1");
  await assert.rejects(change(set.client, "2"), { name: "ConnectionError", unsent: false });
  assert.equal(await value(set), "1");
});

test("any Status can be the answer", async () => {
  await using set = await setUp({
    on: { resource: "configmaps", name: "shared" },
    times: 1,
    fault: { kind: "status", error: serviceUnavailable("full") },
  });
  await assert.rejects(set.client.resource(configMaps).get("shared"), { code: 503 });
  await assert.rejects(set.client.resource(configMaps).get("other"), isNotFound);
  assert.equal((await set.client.resource(configMaps).get("shared")).data?.n, "0");
});

test("a fault writes the object before the client does", async () => {
  await using set = await setUp();
  set.script.add({ on: { verb: "update" }, times: 1, fault: { kind: "overtake", by: () => change(set.cluster.client, "theirs") } });
  const read = await set.client.resource(configMaps).get("shared");
  await assert.rejects(set.client.resource(configMaps).update({ ...read, data: { n: "mine" } }), isConflict);
  assert.equal(await value(set), "theirs");
});

test("a slow answer takes its time on the cluster's clock", async () => {
  await using set = await setUp({ on: { verb: "get" }, fault: { kind: "slow", ms: 5_000 } });
  const reading = set.client.resource(configMaps).get("shared");
  let done = false;
  void reading.then(() => {
    done = true;
  });
  await set.cluster.advance({ ms: 4_999 });
  assert.equal(done, false);
  await set.cluster.advance({ ms: 1 });
  assert.equal(done, true);
});

test("a cache answers with what was, but only where Kubernetes would let it", async () => {
  await using set = await setUp({ fault: { kind: "stale", revisions: 2 } });
  for (const n of ["1", "2", "3"]) await change(set.cluster.client, n);
  const mine = set.client.resource(configMaps);
  assert.equal((await mine.get("shared", { resourceVersion: "0" })).data?.n, "1");
  assert.equal((await mine.list({ resourceVersion: "0" })).items.find(({ data }) => data?.n !== undefined)?.data?.n, "1");
  assert.equal((await mine.get("shared")).data?.n, "3");
  const newest = (await set.cluster.client.resource(configMaps).get("shared")).metadata?.resourceVersion ?? "";
  assert.equal((await mine.get("shared", { resourceVersion: newest })).data?.n, "3");
  assert.deepEqual(kinds(set), ["stale", "stale"]);
});

test("the next page of a list is gone", async () => {
  await using set = await setUp({ on: { verb: "list" }, nth: 2, fault: { kind: "expired" } });
  await set.cluster.client.resource(configMaps).create({ metadata: { name: "second" } });
  const page = (path: string) => set.client.request({ method: "GET", path, headers: {} });
  const first = JSON.parse(Buffer.from(await (await page("/api/v1/namespaces/default/configmaps?limit=1")).bytes()).toString());
  assert.ok(first.metadata.continue);
  const next = `/api/v1/namespaces/default/configmaps?limit=1&continue=${encodeURIComponent(first.metadata.continue)}`;
  // The first list has no history to lose: the second one that can be hit is this again.
  await (await page(next)).bytes();
  await assert.rejects(page(next), isExpired);
});

/** What a watch of the victim has brought, as short texts. */
function following({ client, cluster }: Set) {
  const seen: string[] = [];
  const stop = new AbortController();
  const note = (event: WatchEvent<ConfigMap>): void => {
    if (event.type === "BOOKMARK") return;
    const objects = event.type === "LISTED" ? event.items : [event.object];
    seen.push(
      `${event.type} ${objects
        .map(({ data }) => data?.n)
        .filter((n) => n !== undefined)
        .join()}`,
    );
  };
  const running = (async () => {
    for await (const event of client.resource(configMaps).watch({ signal: stop.signal, fieldSelector: "metadata.name=shared" }))
      note(event);
  })().catch(() => undefined);
  return {
    seen,
    settle: () => cluster.advance({ ms: 0 }),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

const watches: readonly {
  readonly name: string;
  readonly fault: FaultRule["fault"];
  readonly later: readonly string[];
}[] = [
  { name: "lost", fault: { kind: "drop-watch" }, later: ["MODIFIED 1", "MODIFIED 2"] },
  { name: "ended by the server", fault: { kind: "end-watch" }, later: ["MODIFIED 1", "MODIFIED 2"] },
  { name: "late", fault: { kind: "delay-events", ms: 10_000 }, later: ["MODIFIED 1", "MODIFIED 2"] },
  { name: "its history was compacted", fault: { kind: "expired" }, later: ["LISTED 2"] },
];
for (const { name, fault, later } of watches) {
  test(`a watch that is ${name} catches up`, async () => {
    await using set = await setUp();
    await using watch = following(set);
    await watch.settle();
    assert.deepEqual(watch.seen.splice(0), ["LISTED 0"]);
    set.script.strike(fault as never);
    await change(set.cluster.client, "1");
    await change(set.cluster.client, "2");
    await set.cluster.advance({ seconds: 40 });
    assert.deepEqual(watch.seen, later);
    assert.deepEqual(kinds(set), [fault.kind]);
  });
}

test("a watch that is stalled brings nothing, until it is given up", async () => {
  await using set = await setUp();
  await using watch = following(set);
  await watch.settle();
  watch.seen.length = 0;
  assert.equal(set.script.strike({ kind: "stall-watch" }), 1);
  await change(set.cluster.client, "1");
  await set.cluster.advance({ minutes: 1 });
  assert.deepEqual(watch.seen, []);
  await set.cluster.advance({ minutes: 30 });
  assert.deepEqual(watch.seen, ["MODIFIED 1"]);
});

test("the same seed hits the same requests", async () => {
  const hits = async (seed: number) => {
    await using cluster = await startCluster({ clock: virtualClock() });
    const script = new FaultScript([{ chance: 0.3, fault: { kind: "lose-request" } }], { seed });
    const client = cluster.clientFor({ name: "victim" }, { faults: script });
    for (let i = 0; i < 40; i++)
      await client
        .resource(configMaps)
        .create({ metadata: { name: `n-${i}` } })
        .catch(() => undefined);
    return script.fired.map(({ request }) => request.name);
  };
  const first = await hits(5);
  assert.ok(first.length > 4 && first.length < 25);
  assert.deepEqual(await hits(5), first);
  assert.notDeepEqual(await hits(6), first);
});

test("a rule can be taken back", async () => {
  await using set = await setUp();
  {
    using _ = set.script.add({ fault: { kind: "lose-request" } });
    await assert.rejects(change(set.client, "1"), ConnectionError);
  }
  await change(set.client, "2");
});
