/** Invariants in a test: the first write that breaks one, and what led to it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configMaps, deployments, pods } from "@coxswain/client";
import {
  eachVersion,
  type Invariants,
  InvariantViolation,
  startCluster,
  type TestCluster,
  useCluster,
  virtualClock,
  watchInvariants,
} from "coxswain/testing";

const seatOf = (ticket: { readonly data?: { readonly seat?: string } }) => ticket.data?.seat;

const soldOnce: Invariants = {
  "a seat is sold once": ({ list }) => {
    const seats = list(configMaps).flatMap((one) => seatOf(one) ?? []);
    const twice = seats.find((seat, i) => seats.indexOf(seat) !== i);
    return twice === undefined || `seat ${twice} is sold twice`;
  },
};

const sell = (cluster: TestCluster, name: string, seat: string, user = "coxswain-admin") =>
  cluster.clientFor({ name: user }).resource(configMaps, "default").create({ metadata: { name }, data: { seat } });

test("the first write that breaks an invariant is named, with the list that its writer had read too early", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const invariants = watchInvariants(cluster, soldOnce);
  const [ann, cleo] = ["ann", "cleo"].map((name) => cluster.clientFor({ name }).resource(configMaps, "default"));
  await ann?.list();
  const seen = await cleo?.list();
  await ann?.create({ metadata: { name: "anns" }, data: { seat: "k-7" } });
  const second = await cleo?.create({ metadata: { name: "cleos" }, data: { seat: "k-7" } });
  await sell(cluster, "third", "k-7");
  const [violation, ...more] = await invariants.violations();
  assert.deepEqual(more, []);
  assert.ok(violation instanceof InvariantViolation);
  assert.equal(violation.invariant, "a seat is sold once");
  assert.equal(violation.revision, Number(second?.metadata?.resourceVersion));
  assert.equal(violation.key, "/registry/configmaps/default/cleos");
  const [unseen, last] = violation.chain.slice(-2);
  assert.deepEqual([unseen?.reason, unseen?.object.name, unseen?.user], ["unseen", "anns", "ann"]);
  assert.deepEqual([last?.reason, last?.object.name, last?.user], ["violates", "cleos", "cleo"]);
  assert.deepEqual(
    last?.reads?.map(({ verb, resource, resourceVersion }) => [verb, resource, resourceVersion]),
    [["list", "configmaps", seen?.resourceVersion]],
  );
});

test("each version is seen, of those that were there for no time, too", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const versions: (string | undefined)[] = [];
  await using invariants = watchInvariants(cluster, {
    "a number only grows": eachVersion(configMaps, ({ object, oldObject }) => {
      if (object?.metadata?.name !== "counter") return true;
      versions.push(object.data?.number);
      return Number(object.data?.number) >= Number(oldObject?.data?.number ?? 0);
    }),
  });
  const resource = cluster.client.resource(configMaps);
  await resource.create({ metadata: { name: "counter" }, data: { number: "1" } });
  const patches = ["2", "9", "3"].map((number) => resource.patch("counter", { type: "merge", patch: { data: { number } } }));
  await Promise.all(patches);
  const [violation] = await invariants.violations();
  assert.deepEqual(versions, ["1", "2", "9", "3"]);
  assert.match(violation?.message ?? "", /"9" → "3"/);
});

test("a test that breaks an invariant fails at its end, with the message", async () => {
  await assert.rejects(async () => {
    await using cluster = await startCluster();
    watchInvariants(cluster, soldOnce);
    await sell(cluster, "a", "k-7");
    await sell(cluster, "b", "k-7");
  }, /the invariant "a seat is sold once" did not hold, first at resourceVersion \d+: seat k-7 is sold twice/);
});

test("what waits ends at once with the violation", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const invariants = watchInvariants(cluster, soldOnce);
  const waits = cluster.waitFor(pods, "never", "create", { signal: invariants.signal });
  await Promise.all([sell(cluster, "a", "k-7"), sell(cluster, "b", "k-7")]);
  await assert.rejects(waits, InvariantViolation);
  await assert.rejects(invariants.check(), InvariantViolation);
});

test("what did not hold when watching began is reported as such", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  await sell(cluster, "a", "k-7");
  await sell(cluster, "b", "k-7");
  const invariants = watchInvariants(cluster, soldOnce);
  await assert.rejects(invariants.check(), /did not hold, when watching began, at resourceVersion \d+: seat k-7 is sold twice/);
});

test("a Pod's chain has the write of the Deployment that it comes from", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const invariants = watchInvariants(cluster, { "there are two Pods at most": ({ list }) => list(pods).length <= 2 });
  await cluster.run({ controllers: ["deployment", "replicaset"] });
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } };
  await cluster.client
    .resource(deployments)
    .create({ metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } });
  await cluster.waitFor(deployments, "web", ({ status }) => status?.replicas === 2);
  await invariants.check();
  const user = cluster.clientFor({ name: "jane" }).resource(deployments, "default");
  await user.patch("web", { type: "merge", patch: { spec: { replicas: 3 } } });
  await cluster.waitFor(deployments, "web", ({ status }) => status?.replicas === 3);
  const [violation] = await invariants.violations();
  const owners = violation?.chain.filter(({ reason }) => reason === "owner").map(({ object, user }) => [object.kind, user]);
  assert.deepEqual(owners, [
    ["Deployment", "jane"],
    ["ReplicaSet", "system:serviceaccount:kube-system:deployment-controller"],
  ]);
});

const wrong = [
  { name: "a predicate that returns nothing", holds: () => undefined as never, message: /its predicate returned undefined/ },
  { name: "a predicate that throws", holds: () => assert.equal(1, 2) as never, message: /its predicate threw AssertionError/ },
];
for (const { name, holds, message } of wrong)
  test(`${name} fails`, async () => {
    await using cluster = await startCluster({ clock: virtualClock() });
    await assert.rejects(watchInvariants(cluster, { wrong: holds }).check(), message);
  });

test("predicates cannot change what the server has", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const invariants = watchInvariants(cluster, {
    frozen: eachVersion(configMaps, ({ object }) => {
      if (object?.data !== undefined) (object.data as { seat?: string }).seat = "other";
      return true;
    }),
  });
  await sell(cluster, "a", "k-7");
  await assert.rejects(invariants.check(), /TypeError/);
  assert.equal((await cluster.client.resource(configMaps).get("a")).data?.seat, "k-7");
});

const keepsSeat: Invariants = {
  "who has a seat keeps it": eachVersion(
    configMaps,
    ({ object, oldObject }) => oldObject?.data?.holder === undefined || object?.data?.holder === oldObject.data.holder,
  ),
};

/** Ann books the seat, and then Cleo, who has seen it by `read` before Ann did. */
async function takenSeat(read: (client: ReturnType<TestCluster["clientFor"]>) => Promise<unknown>): Promise<InvariantViolation> {
  await using cluster = await startCluster({ clock: virtualClock() });
  const invariants = watchInvariants(cluster, keepsSeat);
  const [ann, cleo] = [cluster.clientFor({ name: "ann" }), cluster.clientFor({ name: "cleo" })];
  await cluster.client.resource(configMaps).create({ metadata: { name: "k-7" } });
  await read(cleo);
  for (const [holder, client] of Object.entries({ ann, cleo }))
    await client.resource(configMaps, "default").patch("k-7", { type: "merge", patch: { data: { holder } } });
  const [violation] = await invariants.violations();
  assert.ok(violation !== undefined);
  return violation;
}

const cases: readonly { readonly name: string; readonly read: Parameters<typeof takenSeat>[0]; readonly reasons: readonly string[] }[] = [
  {
    name: "had got it",
    read: (client) => client.resource(configMaps, "default").get("k-7"),
    reasons: ["read", "unseen", "violates"],
  },
  {
    name: "had listed it",
    read: (client) => client.resource(configMaps, "default").list(),
    reasons: ["read", "unseen", "violates"],
  },
  { name: "had read nothing", read: async () => undefined, reasons: ["before", "before", "violates"] },
  {
    name: "watches, and so may have seen anything",
    read: async (client) => {
      for await (const event of client.resource(configMaps, "default").watch()) if (event.type === "LISTED") break;
    },
    reasons: ["before", "before", "violates"],
  },
  {
    name: "had read another object",
    read: (client) =>
      client
        .resource(configMaps, "default")
        .get("kube-root-ca.crt")
        .catch(() => undefined),
    reasons: ["before", "before", "violates"],
  },
];
for (const { name, read, reasons } of cases)
  test(`of a writer who ${name} no more is said than is known`, async () => {
    const { chain } = await takenSeat(read);
    assert.deepEqual(
      chain.map(({ reason }) => reason),
      reasons,
    );
  });

test("a write that names its version says itself what it was based on", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const invariants = watchInvariants(cluster, keepsSeat);
  const resource = cluster.client.resource(configMaps);
  await resource.create({ metadata: { name: "k-7" } });
  const read = await resource.patch("k-7", { type: "merge", patch: { data: { holder: "ann" } } });
  await resource.update({ ...read, data: { holder: "cleo" } });
  const [violation] = await invariants.violations();
  const last = violation?.chain.at(-1);
  assert.equal(last?.readResourceVersion, read.metadata?.resourceVersion);
  assert.deepEqual(
    violation?.chain.map(({ reason }) => reason),
    ["before", "read", "violates"],
  );
});

describe("the cluster of useCluster", () => {
  const cluster = useCluster({ per: "file", clock: () => virtualClock() });
  test("is watched in the namespace of a test", async () => {
    const invariants = watchInvariants(cluster, {
      "there is no other": ({ get, list }) =>
        get(configMaps, "other") === undefined && list(configMaps, { namespace: "none" }).length === 0,
    });
    await cluster.client.resource(configMaps, "default").create({ metadata: { name: "other" } });
    await invariants.check();
    await cluster.client.resource(configMaps).create({ metadata: { name: "other" } });
    await assert.rejects(invariants.check(), InvariantViolation);
  });
});

test("of many objects those are named that break it together, however long ago they were written", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const invariants = watchInvariants(cluster, soldOnce);
  for (let seat = 0; seat < 100; seat++) await sell(cluster, `ticket-${seat}`, `seat-${seat}`);
  await sell(cluster, "again", "seat-7");
  const [violation] = await invariants.violations();
  assert.deepEqual(
    violation?.chain.map(({ reason, object }) => [reason, object.name]),
    [
      ["involved", "ticket-7"],
      ["violates", "again"],
    ],
  );
});

test("what is missing is no other object's doing", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  for (const name of ["a", "b", "c"]) await sell(cluster, name, name);
  const invariants = watchInvariants(cluster, {
    "there are three": ({ list }) => list(configMaps, { namespace: "default" }).length >= 3,
  });
  await cluster.client.resource(configMaps).delete("b");
  const [violation] = await invariants.violations();
  assert.deepEqual(
    violation?.chain.map(({ operation, object }) => [operation, object.name]),
    [
      ["create", "b"],
      ["delete", "b"],
    ],
  );
});

test("what is no cluster of a test is refused", () => {
  assert.throws(() => watchInvariants({ client: {} as TestCluster["client"], namespace: "default" }, soldOnce), TypeError);
});
