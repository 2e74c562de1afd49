import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Client,
  configMaps,
  controller,
  done,
  events,
  LeadershipLostError,
  leases,
  type ManagerOptions,
  runAsLeader,
  runControllers,
} from "@coxswain/client";
import { serviceUnavailable, sleep } from "@coxswain/machinery";
import { FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const start = (): Promise<TestCluster> => startCluster({ clock: virtualClock({ autoAdvance: true }) });
const lease = { namespace: "kube-system", name: "lock" };

/** Says who reconciles what. */
function contender(client: Client, identity: string, log: string[], options: Partial<ManagerOptions> = {}) {
  const stop = new AbortController();
  const one = controller({
    name: "contender",
    for: configMaps,
    namespace: "default",
    reconcile: async ({ name }) => {
      log.push(`${identity} ${name}`);
      return done;
    },
  });
  const run = runControllers([one], { client, leaderElection: { lease, identity }, signal: stop.signal, ...options });
  return { stop, run };
}

test("one of two reconciles; when it is stopped the other goes on at once, with warm caches", async () => {
  await using cluster = await start();
  const { client, clock } = cluster;
  const log: string[] = [];
  const make = (name: string) => client.resource(configMaps).create({ metadata: { name, namespace: "default" } });
  await make("first");
  const a = contender(cluster.clientFor({ name: "a" }), "a", log);
  await sleep(clock, 10);
  const b = contender(cluster.clientFor({ name: "b" }), "b", log);
  await sleep(clock, 60_000);
  assert.deepEqual(log, ["a first"]);
  a.stop.abort();
  await a.run;
  assert.equal((await client.resource(leases).get(lease)).spec?.holderIdentity, "");
  await make("second");
  await sleep(clock, 5_000);
  assert.deepEqual(log.toSorted(), ["a first", "b first", "b second"]);
  const { spec } = await client.resource(leases).get(lease);
  assert.deepEqual([spec?.holderIdentity, spec?.leaseTransitions, spec?.leaseDurationSeconds], ["b", 1, 15]);
  b.stop.abort();
  await b.run;
  const { items } = await client.resource(events, lease.namespace).list({ fieldSelector: "involvedObject.name=lock" });
  assert.deepEqual(items.map(({ message, reason }) => `${reason}: ${message}`).toSorted(), [
    "LeaderElection: a became leader",
    "LeaderElection: a stopped leading",
    "LeaderElection: b became leader",
    "LeaderElection: b stopped leading",
  ]);
});

test("a leader without network loses its lease: its late writes are refused, and its error says why", async () => {
  await using cluster = await start();
  const { clock } = cluster;
  const faults = new FaultScript();
  const client = cluster.clientFor({ name: "a" }, { faults });
  const signal = new AbortController().signal;
  let begun = 0;
  const run = runAsLeader({ client, lease, identity: "a", signal }, async (term) => {
    begun = clock.monotonic();
    const fenced = term.fenced(client);
    await fenced.resource(configMaps).create({ metadata: { name: "mine", namespace: "default" } });
    faults.add({ on: { resource: "leases" }, fault: { kind: "lose-request" } });
    await new Promise<void>((resolve) => term.signal.addEventListener("abort", () => resolve(), { once: true }));
    assert.ok(term.signal.reason instanceof LeadershipLostError);
    const late = { metadata: { name: "late", namespace: "default" } };
    await assert.rejects(fenced.resource(configMaps).create(late), LeadershipLostError);
    assert.equal((await fenced.resource(configMaps).get({ namespace: "default", name: "mine" })).metadata?.name, "mine");
  });
  await assert.rejects(run, LeadershipLostError);
  assert.equal(clock.monotonic() - begun, 10_000);
  assert.equal((await cluster.client.resource(leases).get(lease)).spec?.holderIdentity, "a");
});

test("a lost answer to a renewal, and a conflict over the Lease's labels, do not end a term", async () => {
  await using cluster = await start();
  const { clock } = cluster;
  const faults = new FaultScript([
    { on: { resource: "leases", verb: "update" }, nth: [2, 5], fault: { kind: "lose-answer" } },
    { on: { resource: "leases", verb: "update" }, nth: 8, fault: { kind: "conflict" } },
  ]);
  const client = cluster.clientFor({ name: "a" }, { faults });
  const stop = new AbortController();
  const token = await runAsLeader({ client, lease, identity: "a", signal: stop.signal }, async (term) => {
    await sleep(clock, 30_000);
    const patch = { metadata: { labels: { touched: "yes" } } };
    await cluster.client.resource(leases).patch(lease, { type: "merge", patch });
    await sleep(clock, 30_000);
    assert.equal(term.signal.aborted, false);
    return term.token;
  });
  assert.equal(faults.fired.length, 3);
  assert.ok(token > 0n);
});

const sameLease = { metadata: lease, spec: { holderIdentity: "b", leaseDurationSeconds: 15, leaseTransitions: 0 } };
for (const { name, before } of [
  { name: "creates the deleted Lease", before: undefined },
  { name: "finds its own identity in the Lease", before: sameLease },
])
  test(`a leader that ${name} catches up before it reconciles, and lists again when that fails`, async () => {
    await using cluster = await start();
    const { client, clock } = cluster;
    if (before !== undefined) await client.resource(leases).create(before);
    const faults = new FaultScript([
      { on: { resource: "configmaps", verb: "list" }, times: 1, fault: { kind: "status", error: serviceUnavailable("down") } },
    ]);
    const by = async (): Promise<void> => {
      assert.equal(faults.strike({ kind: "stall-watch" }, { resource: "configmaps" }), 1);
      await client.resource(configMaps).create({ metadata: { name: "late", namespace: "default" } });
    };
    faults.add({ on: { resource: "leases", verb: "get" }, nth: 1, fault: { kind: "overtake", by } });
    const log: string[] = [];
    const b = contender(cluster.clientFor({ name: "b" }, { faults }), "b", log);
    await sleep(clock, 10_000);
    assert.deepEqual(log, ["b late"]);
    assert.equal(faults.fired.filter(({ fault }) => fault.kind === "status").length, 1);
    assert.equal((await client.resource(leases).get(lease)).spec?.leaseTransitions, 0);
    b.stop.abort();
    await b.run;
  });
