import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, type RandomSource, sleep } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { createClient } from "../client/create-client.ts";
import type { Client } from "../contracts/client.ts";
import { LeadershipLostError } from "./fenced-transport.ts";
import type { LeaseSpec } from "./lease-record.ts";
import { fairWeather, LeaseServer } from "./lease-server-under-test.ts";
import { type LeaderElectionOptions, runAsLeader } from "./run-as-leader.ts";
import type { Term } from "./term.ts";

const random: RandomSource = { next: () => 0.5, uuid: () => "00000000-0000-4000-8000-000000000000" };
const lease = { namespace: "kube-system", name: "lock" };

function start() {
  const clock = new ManualClock();
  const server = new LeaseServer(clock, random);
  const clientOf = (): Client => createClient({ transport: server.transport(), clock, random });
  return { clock, server, clientOf };
}

/** Time passes in steps, and what comes of each comes about. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (const end = clock.monotonic() + ms; clock.monotonic() < end; ) {
    await quiescence({ clock });
    clock.advance(Math.min(100, end - clock.monotonic()));
  }
  await quiescence({ clock });
}

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  readonly terms: Term[];
  readonly leaders: string[];
}

/** Leads until its term's signal is aborted, and then takes `windDownMs` to end. */
function candidate(client: Client, identity: string, changes: Partial<LeaderElectionOptions> & { windDownMs?: number } = {}): Running {
  const stop = new AbortController();
  const terms: Term[] = [];
  const leaders: string[] = [];
  const { windDownMs = 0, ...options } = changes;
  const ended = runAsLeader(
    { client, lease, identity, signal: stop.signal, onNewLeader: (name) => leaders.push(name), ...options },
    async (term) => {
      terms.push(term);
      await new Promise<void>((resolve) => term.signal.addEventListener("abort", () => resolve(), { once: true }));
      if (windDownMs > 0) await sleep(client.clock, windDownMs);
      return "done";
    },
  ).catch((error: unknown) => error);
  return { stop, ended, terms, leaders };
}

test("the first candidate makes the lease and keeps renewing it", async () => {
  const { clock, server, clientOf } = start();
  const a = candidate(clientOf(), "a");
  await pass(clock, 60_000);
  assert.equal(a.terms.length, 1);
  assert.deepEqual(server.lease?.spec, {
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:01:00.000000Z",
    leaseTransitions: 0,
  });
  assert.deepEqual(server.requests.slice(0, 4), ["GET", "POST", "PUT", "PUT"]);
  a.stop.abort();
  assert.equal(await a.ended, "done");
});

test("who is asked to stop ends its work before it lets go, and the next one leads at once", async () => {
  const { clock, server, clientOf } = start();
  const a = candidate(clientOf(), "a", { windDownMs: 30_000 });
  await pass(clock, 1_000);
  const b = candidate(clientOf(), "b");
  a.stop.abort();
  await pass(clock, 29_000);
  assert.deepEqual([server.lease?.spec?.holderIdentity, a.terms[0]?.isOver, b.terms.length], ["a", false, 0]);
  await pass(clock, 5_500);
  assert.deepEqual([a.terms[0]?.isOver, b.terms.length, server.lease?.spec?.leaseTransitions], [true, 1, 1]);
  assert.ok((b.terms[0]?.token ?? 0n) > (a.terms[0]?.token ?? 0n));
  assert.deepEqual(b.leaders, ["a", "b"]);
  b.stop.abort();
  await b.ended;
  await pass(clock, 1_000);
  assert.deepEqual([server.lease?.spec?.holderIdentity, server.lease?.spec?.leaseDurationSeconds], ["", 1]);
  assert.equal(clock.waiting, 0);
});

test("a leader that cannot renew stops leading before another candidate may begin", async () => {
  const { clock, server, clientOf } = start();
  const clientOfA = clientOf();
  const a = candidate(clientOfA, "a");
  const b = candidate(clientOf(), "b");
  await pass(clock, 4_000);
  const fenced = a.terms[0]?.fenced(clientOfA);
  let over: number | undefined;
  a.terms[0]?.signal.addEventListener("abort", () => {
    over = clock.monotonic();
  });
  server.weather = { delayMs: 0, lost: 1, answerLost: 0, stuck: 0, stuckMs: 0 };
  const cut = clock.monotonic();
  await pass(clock, 10_000);
  assert.ok(over !== undefined && over - cut <= 10_000, `led for ${over} ms`);
  assert.ok((await a.ended) instanceof LeadershipLostError);
  await assert.rejects(async () => fenced?.request({ method: "DELETE", path: "/x", headers: {} }), LeadershipLostError);
  server.weather = { ...server.weather, lost: 0 };
  assert.equal(b.terms.length, 0);
  // What it could not see until now it counts from now.
  await pass(clock, 20_000);
  assert.equal(b.terms.length, 1);
  b.stop.abort();
  await b.ended;
});

test("a renewal counts from when it was sent, however late its answer is", async () => {
  const { clock, server, clientOf } = start();
  const a = candidate(clientOf(), "a");
  await pass(clock, 1_900);
  // Dice that always show a half: two seconds there, and two back.
  server.weather = { ...fairWeather, delayMs: 4_000 };
  await pass(clock, 200);
  const sent = 2_000;
  server.weather = { ...fairWeather, lost: 1 };
  await pass(clock, 9_800);
  assert.equal(a.terms[0]?.isOver, false);
  await pass(clock, 200);
  assert.deepEqual([a.terms[0]?.isOver, clock.monotonic() - sent], [true, 10_100]);
  await a.ended;
});

test("a leader that was suspended writes nothing when it resumes, before any timer has run", async () => {
  const { clock, server } = start();
  let now = 0;
  const sleepy = {
    now: () => clock.now() + now,
    monotonic: () => clock.monotonic(),
    schedule: (ms: number, fn: () => void) => clock.schedule(ms, fn),
  };
  const client = createClient({ transport: server.transport(), clock: sleepy, random });
  const a = candidate(client, "a");
  await pass(clock, 1_000);
  const [term] = a.terms;
  const puts = server.requests.length;
  now += 3_600_000;
  assert.equal(term?.isOver, true);
  await assert.rejects(async () => term?.fenced(client).request({ method: "POST", path: "/x", headers: {} }), LeadershipLostError);
  await term?.fenced(client).request({ method: "GET", path: "/x", headers: {} });
  assert.deepEqual(server.requests.slice(puts), ["GET"]);
  a.stop.abort();
  await pass(clock, 20_000);
  await a.ended;
});

test("a leader that sees another holder of the lease ends its term at once", async () => {
  const { clock, server, clientOf } = start();
  const a = candidate(clientOf(), "a");
  await pass(clock, 1_000);
  server.lease = {
    metadata: { ...server.lease?.metadata, resourceVersion: "999" },
    spec: { ...server.lease?.spec, holderIdentity: "thief" },
  };
  await pass(clock, 2_500);
  assert.match(String(await a.ended), /held by thief/);
  assert.equal(server.lease?.spec?.holderIdentity, "thief");
});

/** What another client does to the Lease between two renewals. */
const meanwhile: readonly { name: string; change: (spec: LeaseSpec) => LeaseSpec | undefined }[] = [
  { name: "clears the holder", change: (spec) => ({ ...spec, holderIdentity: "" }) },
  {
    name: "leads and releases it",
    change: (spec) => ({ ...spec, holderIdentity: "", leaseTransitions: 1, acquireTime: "2026-01-01T00:00:01.000000Z" }),
  },
  { name: "leads and gives it back by name", change: (spec) => ({ ...spec, leaseTransitions: 2 }) },
  { name: "leads and puts the count back", change: (spec) => ({ ...spec, acquireTime: "2026-01-01T00:00:01.000000Z" }) },
  { name: "deletes it", change: () => undefined },
];
for (const { name, change } of meanwhile)
  test(`a term ends at its next renewal when another client ${name}`, async () => {
    const { clock, server, clientOf } = start();
    const a = candidate(clientOf(), "a");
    await pass(clock, 1_000);
    const spec = change(server.lease?.spec ?? {});
    server.lease = spec === undefined ? undefined : { metadata: { ...server.lease?.metadata, resourceVersion: "999" }, spec };
    await pass(clock, 2_500);
    assert.match(String(await a.ended), /changed hands/);
    assert.deepEqual(server.lease?.spec, spec, "a new term is for who begins one");
    assert.equal(clock.waiting, 0);
  });

test("a candidate that is stopped before it led throws the reason", async () => {
  const { clock, clientOf } = start();
  const a = candidate(clientOf(), "a");
  await pass(clock, 1_000);
  const b = candidate(clientOf(), "b");
  await pass(clock, 10_000);
  b.stop.abort(new Error("enough"));
  assert.match(String(await b.ended), /enough/);
  a.stop.abort();
  await pass(clock, 1_000);
  await a.ended;
  assert.equal(clock.waiting, 0);
});

test("what the work throws comes through, and the lease is released", async () => {
  const { server, clientOf } = start();
  const signal = new AbortController().signal;
  const work = () => Promise.reject(new Error("mistake"));
  await assert.rejects(runAsLeader({ client: clientOf(), lease, identity: "a", signal }, work), { message: "mistake" });
  assert.equal(server.lease?.spec?.holderIdentity, "");
});

const senseless: readonly [string, Partial<LeaderElectionOptions>][] = [
  ["an empty identity", { identity: "" }],
  ["a lease that ends before its leader does", { leaseDurationMs: 10_000 }],
  ["a deadline that leaves no time for a second attempt", { renewDeadlineMs: 2_400 }],
  ["no time between attempts", { retryPeriodMs: 0 }],
  ["a fraction of a second", { leaseDurationMs: 15_500 }],
];
for (const [name, changes] of senseless)
  test(`refuses ${name}`, async () => {
    const signal = new AbortController().signal;
    const run = runAsLeader({ client: start().clientOf(), lease, identity: "a", signal, ...changes }, async () => undefined);
    await assert.rejects(run, TypeError);
  });
