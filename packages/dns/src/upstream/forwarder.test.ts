import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { type Message, recordType, responseCode } from "../message/message.ts";
import { addressRecord, authorityRecord } from "../message/records.ts";
import type { Exchange } from "./exchange.ts";
import { Forwarder, type ForwarderOptions } from "./forwarder.ts";

const message = (more: Partial<Message>): Message => ({
  id: 0,
  isResponse: true,
  opcode: 0,
  authoritative: false,
  truncated: false,
  recursionDesired: true,
  recursionAvailable: true,
  authenticData: false,
  checkingDisabled: false,
  rcode: 0,
  questions: [],
  answers: [],
  authorities: [],
  additionals: [],
  edns: undefined,
  ...more,
});
const address = (ttl: number) => addressRecord("x.org.", ttl, Uint8Array.of(1, 2, 3, 4));

const one = { host: "192.0.2.1", port: 53 };
const two = { host: "192.0.2.2", port: 53 };
const flags = { recursionDesired: true, checkingDisabled: false, authenticData: false, dnssecOk: false };
const client = "10.1.0.1";
const question = (name: string) => ({ name, type: recordType.A, class: 1 });

function forwarding(exchange: Exchange, more: Partial<ForwarderOptions> = {}) {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const forwarder = new Forwarder({
    zones: [{ zone: ".", servers: [one, two] }],
    clock,
    random: { next: () => 0, uuid: () => "" },
    log: { warn: (_fields, text) => void warnings.push(text) },
    exchange,
    ...more,
  });
  return { clock, warnings, forwarder };
}

/** Until it is given up. */
const silence: Exchange = (_server, _asked, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

test("questions that are the same are asked once, and then remembered", async () => {
  let asked = 0;
  const { forwarder } = forwarding(async () => {
    asked++;
    return message({ answers: [address(9)] });
  });
  const both = await Promise.all(["x.org.", "X.org."].map((name) => forwarder.ask(question(name), flags, client)));
  assert.deepEqual(both[0], both[1]);
  assert.equal(forwarder.ask(question("x.ORG."), flags, client) instanceof Promise, false);
  assert.equal(asked, 1);
  await forwarder.ask(question("x.org."), { ...flags, dnssecOk: true }, client);
  assert.equal(asked, 2);
});

test("a server that does not answer is followed by another, and comes last from then on", async () => {
  const asked: string[] = [];
  const { forwarder, clock, warnings } = forwarding((server, about, signal) => {
    asked.push(server.host);
    return server === one ? silence(server, about, signal) : Promise.resolve(message({ rcode: 3 }));
  });
  const first = forwarder.ask(question("a."), flags, client);
  await quiescence();
  clock.advance(2000);
  assert.equal((await first).rcode, 3);
  await forwarder.ask(question("b."), flags, client);
  assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2", "192.0.2.2"]);
  assert.deepEqual(warnings, ["failed to ask a name server"]);
});

test("when nobody answers it is a failure, in bounded time", async () => {
  const { forwarder, clock, warnings } = forwarding(silence);
  const asked = forwarder.ask(question("a."), flags, client);
  for (const ms of [2000, 2000, 1000]) {
    await quiescence();
    clock.advance(ms);
  }
  assert.equal((await asked).rcode, responseCode.serverFailure);
  assert.equal(clock.waiting, 0);
  assert.equal(warnings.length, 2);
});

test("questions beyond the bound are refused while others wait", async () => {
  const { forwarder } = forwarding(silence, { maxConcurrent: 10 });
  const all = Array.from({ length: 1000 }, (_, i) => forwarder.ask(question(`${i}.`), flags, `10.1.0.${i}`));
  const refused = all.filter((answer) => !(answer instanceof Promise) && answer.rcode === responseCode.refused);
  assert.equal(refused.length, 990);
  assert.deepEqual([forwarder.counts.rejected, forwarder.counts.concurrent], [990, 10]);
  forwarder[Symbol.dispose]();
  const rest = await Promise.all(all.slice(0, 10));
  assert.deepEqual(new Set(rest.map(({ rcode }) => rcode)), new Set([responseCode.serverFailure]));
});

test("the longest zone says who is asked", async () => {
  const asked: string[] = [];
  const zones = [
    { zone: ".", servers: [one] },
    { zone: "corp.example.", servers: [two] },
    { zone: "none.example.", servers: [] },
  ];
  const { forwarder } = forwarding(
    async (server, { question: about }) => {
      asked.push(`${about.name} ${server.host}`);
      return message({});
    },
    { zones },
  );
  for (const name of ["a.Corp.example.", "corp.example.", "xcorp.example."]) await forwarder.ask(question(name), flags, client);
  assert.deepEqual(asked, ["a.Corp.example. 192.0.2.2", "corp.example. 192.0.2.2", "xcorp.example. 192.0.2.1"]);
  assert.equal((await forwarder.ask(question("a.none.example."), flags, client)).rcode, responseCode.serverFailure);
});

test("a server from which a question comes back is not asked any more", async () => {
  const asked: string[] = [];
  const { forwarder } = forwarding(async ({ host }) => {
    asked.push(host);
    return message({ rcode: 3 });
  });
  const found = await forwarder.excludeLoops(question("probe."), () => asked.at(-1) === "192.0.2.1");
  assert.deepEqual(found, [one]);
  await forwarder.ask(question("a."), flags, client);
  assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2", "192.0.2.2"]);
});

test("one client cannot have all of the questions that may wait, nor those that wait with others", async () => {
  const { forwarder, clock } = forwarding(silence, { maxConcurrent: 100 });
  const hostile = Array.from({ length: 1000 }, (_, i) => forwarder.ask(question(`${i % 2 === 0 ? "same" : i}.`), flags, "10.1.0.66"));
  const isWaiting = (answer: Message | Promise<Message>): boolean => answer instanceof Promise;
  assert.equal(hostile.filter(isWaiting).length, 50);
  assert.deepEqual([forwarder.counts.concurrent, forwarder.counts.rejected, forwarder.counts.requests], [50, 950, 26]);
  const others = Array.from({ length: 20 }, (_, i) => forwarder.ask(question("other."), flags, `10.1.0.${i}`));
  assert.equal(others.filter(isWaiting).length, 20);
  for (const ms of [2000, 2000, 1000]) {
    await quiescence();
    clock.advance(ms);
  }
  await Promise.all([...hostile, ...others]);
  assert.deepEqual([forwarder.counts.concurrent, clock.waiting], [0, 0]);
});

test("names without end take no room from what is remembered of others", async () => {
  const authority = authorityRecord("org.", 20, 1);
  let asked = 0;
  const { forwarder } = forwarding(
    async (_server, { question: about }) => {
      asked++;
      return message(about.name === "good." ? { answers: [address(30)] } : { rcode: 3, authorities: [authority] });
    },
    { cache: { maxEntries: 100, maxBytes: 1_000_000, maxTtlSeconds: 30, failureTtlSeconds: 5 } },
  );
  await forwarder.ask(question("good."), flags, client);
  for (let i = 0; i < 1000; i++) await forwarder.ask(question(`${i}.`), flags, "10.1.0.66");
  assert.equal(forwarder.ask(question("good."), flags, client) instanceof Promise, false);
  assert.deepEqual([asked, forwarder.counts.cacheSize], [1001, 101]);
  assert.ok(forwarder.counts.cacheBytes < 1_000_000);
});

test("a name server that fails for some names and not for others fills no log", async () => {
  const { forwarder, warnings, clock } = forwarding(async (_server, { question: about }) => {
    if (about.name.startsWith("bad")) throw new Error("cannot be read");
    return message({ rcode: 3 });
  });
  for (let i = 0; i < 100; i++) for (const name of ["bad", "good"]) await forwarder.ask(question(`${name}${i}.`), flags, client);
  assert.deepEqual(warnings, new Array(2).fill("failed to ask a name server"));
  clock.advance(10_000);
  for (const name of ["bad.", "good."]) await forwarder.ask(question(name), flags, client);
  assert.equal(warnings.length, 3, "the one of both that has answered since");
});
