/** What seeds plan. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../../fuzz/harness/random.ts";
import { type Fault, type Planned, planFaults } from "./fault-plan.ts";

const named = (...names: readonly string[]) => names.map((name) => ({ name, link: { name: `clients to ${name}` } }));
const onEtcd: Planned = {
  servers: named("server-1", "server-2"),
  members: named("etcd-1", "etcd-2", "etcd-3"),
  links: { toEtcd: [{ name: "server-1 to etcd-1" }], peers: [{ name: "peers to etcd-1" }] },
  disk: undefined,
  hasQuota: false,
};
const embedded: Planned = { ...onEtcd, members: [], links: { toEtcd: [], peers: [] } };

const seeds = Array.from({ length: 300 }, (_, i) => i + 1);
const plansOf = (cluster: Planned): readonly (readonly Fault[])[] => seeds.map((seed) => planFaults(seededRandom(seed), cluster));
const kindsOf = (cluster: Planned): readonly string[] =>
  [
    ...new Set(
      plansOf(cluster)
        .flat()
        .map(({ kind }) => kind),
    ),
  ].sort();

test("a server alone is killed, frozen, cut off, delayed, reset and has its clock set", () =>
  assert.deepEqual(kindsOf(embedded), ["clock step", "cut", "delay", "freeze server", "kill server", "reset"]));

test("with etcd members are killed, frozen and partitioned, and revisions compacted, too", () =>
  assert.deepEqual(kindsOf(onEtcd), [
    ...["clock step", "compact", "cut", "delay", "freeze etcd", "freeze server", "kill etcd", "kill server", "partition", "reset"],
  ]));

test("a small disk is filled in each round, and so is a quota", () => {
  assert.ok(plansOf({ ...embedded, disk: "/small" }).every(([first]) => first?.kind === "fill disk"));
  assert.ok(plansOf({ ...onEtcd, hasQuota: true }).every(([first]) => first?.kind === "fill quota"));
});

test("one seed, one plan, of one fault to four", () => {
  assert.deepEqual(plansOf(onEtcd), plansOf(onEtcd));
  for (const plan of plansOf(onEtcd)) assert.ok(plan.length >= 1 && plan.length <= 4, JSON.stringify(plan));
});

test("revisions are compacted while a server is cut off from etcd", () => {
  const isMet = (plan: readonly Fault[]): boolean =>
    plan.some(
      (one) =>
        one.kind === "cut" &&
        one.link.endsWith(" to etcd") &&
        plan.some((other) => other.kind === "compact" && other.at >= one.at && other.at < one.at + one.forMs),
    );
  assert.ok(plansOf(onEtcd).filter(isMet).length >= 10);
});
