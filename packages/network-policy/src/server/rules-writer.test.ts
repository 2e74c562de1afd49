import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, MetricsRegistry } from "@coxswain/machinery";
import { type Nft, type NftCommand, NftError, nextStep } from "@coxswain/proxy";
import { policyMetrics } from "../metrics/policy-metrics.ts";
import { ObservedCluster } from "./observed-cluster.ts";
import { RulesWriter } from "./rules-writer.ts";

const periods = { syncMs: 30_000, minSyncMs: 200 };
const { signal } = new AbortController();

/** An nft that does as it is told, or fails, and a cluster with a Pod. */
function world() {
  const clock = new ManualClock();
  const registry = new MetricsRegistry();
  const transactions: (readonly NftCommand[])[] = [];
  const kernel = { fails: false, handle: 1 as number | undefined, tables: new Map<string, Counts>() };
  const nft: Nft = {
    run: async (commands) => {
      if (kernel.fails) throw new NftError("no rules today");
      transactions.push(commands);
      for (const command of commands) count(kernel.tables, command);
    },
    readTable: async () => undefined,
    tableHandle: async () => kernel.handle,
    countTable: async (family) => kernel.tables.get(family === "IPv4" ? "ip" : "ip6") as Counts,
  };
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const cluster = new ObservedCluster();
  const metrics = policyMetrics(registry, "n1");
  const options = { ...periods, nodeName: "n1", nft, nodeAddresses: { IPv4: [], IPv6: [] } };
  const writer = new RulesWriter(options, { cluster, metrics, clock, log });
  const add = (name: string, ip: string): void => {
    const metadata = { namespace: "x", name, uid: name };
    cluster.onPod({ type: "added", initial: false, object: { metadata, spec: { nodeName: "n1", containers: [] }, status: { podIP: ip } } });
    writer.noteChange();
  };
  const deny = (type: "added" | "deleted"): void => {
    const object = { metadata: { namespace: "x", name: "deny" }, spec: { podSelector: {}, policyTypes: ["Ingress"] } };
    cluster.onPolicy(type === "added" ? { type, object, initial: false } : { type, object, unseen: false });
    writer.noteChange();
  };
  const perform = async (): Promise<string> => {
    const { step, at } = nextStep(writer.state, periods);
    clock.advance(Math.max(0, at - clock.monotonic()));
    await writer.perform(step, signal);
    return step;
  };
  return { clock, registry, transactions, kernel, writer, add, deny, perform };
}

interface Counts {
  readonly chains: Map<string, number>;
  readonly containers: Map<string, number>;
}

/** Of rules and elements, as far as a first transaction has them. */
function count(tables: Map<string, Counts>, command: NftCommand): void {
  const [kind, { family, name, chain, elem }] = Object.entries(Object.values(command)[0] as object)[0] as [string, Record<string, never>];
  if (kind === "table") return void tables.set(family ?? "", { chains: new Map(), containers: new Map() });
  const { chains, containers } = tables.get(family ?? "") as Counts;
  if (kind === "chain") chains.set(name ?? "", 0);
  else if (kind === "rule") chains.set(chain ?? "", (chains.get(chain ?? "") ?? 0) + 1);
  else containers.set(name ?? "", (elem ?? []).length);
}

const verbs = (commands: readonly NftCommand[] = []): string[] =>
  commands.map((command) => `${Object.keys(command)[0]} ${Object.keys(Object.values(command)[0] as object)[0]}`);

test("all is written at first, in both families, and then what differs", async () => {
  const { transactions, writer, add, deny, perform } = world();
  add("a", "10.0.0.1");
  assert.equal(await perform(), "sync");
  assert.deepEqual(
    transactions.map((commands) => verbs(commands).slice(0, 3)),
    [
      ["add table", "delete table", "add table"],
      ["add table", "delete table", "add table"],
    ],
  );
  assert.equal(writer.isWritten, true);
  deny("added");
  assert.equal(await perform(), "sync");
  // It has no address of IPv6.
  assert.equal(transactions.length, 3);
  assert.deepEqual(verbs(transactions[2]), ["add chain", "add element", "add rule", "add element"]);
  deny("deleted");
  await perform();
  assert.deepEqual(verbs(transactions[3]), ["delete element", "delete element", "flush chain"]);
  assert.equal(await perform(), "delete stale chains");
  assert.deepEqual(verbs(transactions[4]), ["delete chain"]);
});

test("what fails is tried again, later and later, with all rules; for too long it is not healthy", async () => {
  const { clock, registry, transactions, kernel, writer, deny, add, perform } = world();
  add("a", "10.0.0.1");
  await perform();
  transactions.length = 0;
  kernel.fails = true;
  deny("added");
  const waits: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = clock.monotonic();
    assert.equal(await perform(), "sync");
    waits.push(clock.monotonic() - before);
    assert.equal(writer.isWritten, false);
  }
  assert.deepEqual(waits, [200, 1_000, 2_000, 4_000, 8_000]);
  assert.equal(writer.isHealthy, true);
  clock.advance(60_000);
  assert.equal(writer.isHealthy, false);
  assert.match(registry.text(), /sync_failures_total\{node="n1",ip_family="IPv4"\} 5/);
  kernel.fails = false;
  while (!writer.isWritten) await perform();
  assert.deepEqual(verbs(transactions[0]).slice(0, 3), ["add table", "delete table", "add table"]);
  assert.equal(writer.isHealthy, true);
});

const changes: readonly { readonly name: string; readonly change: (kernel: ReturnType<typeof world>["kernel"]) => void }[] = [
  { name: "has lost a rule", change: ({ tables }) => tables.get("ip")?.chains.set("forward", 1) },
  { name: "has one more element", change: ({ tables }) => tables.get("ip6")?.containers.set("ingress", 1) },
  { name: "is another one", change: (kernel) => (kernel.handle = 2) },
  { name: "is gone", change: (kernel) => (kernel.handle = undefined) },
];

for (const { name, change } of changes)
  test(`a table that ${name} is written again, and one that is as it was is not`, async () => {
    const { transactions, kernel, writer, add, perform } = world();
    add("a", "10.0.0.1");
    await perform();
    transactions.length = 0;
    for (let round = 0; round < 3; round++) assert.equal(await perform(), "verify");
    assert.deepEqual(transactions, []);
    change(kernel);
    assert.equal(await perform(), "verify");
    assert.equal(await perform(), "sync");
    assert.ok(transactions.length > 0);
    assert.equal(writer.isWritten, true);
    for (const commands of transactions) assert.deepEqual(verbs(commands).slice(0, 3), ["add table", "delete table", "add table"]);
  });
