import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { type Message, recordType, responseCode } from "../message/message.ts";
import { addressRecord, authorityRecord } from "../message/records.ts";
import { AnswerCache, defaultCacheBounds } from "./answer-cache.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { Forwarder, type ForwarderOptions } from "./forwarder.ts";
import { addressText, nameServersIn, parseServerAddress } from "./server-address.ts";

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
const authority = authorityRecord("org.", 20, 1);

const kept: readonly { name: string; answer: Partial<Message>; seconds: number }[] = [
  { name: "an answer, as long as its records say", answer: { answers: [address(7), address(9)] }, seconds: 7 },
  { name: "an answer that says longer, for the longest time", answer: { answers: [address(3600)] }, seconds: 30 },
  { name: "an answer that says no time, not at all", answer: { answers: [address(0)] }, seconds: 0 },
  { name: "a name that is not there, as long as its zone says", answer: { rcode: 3, authorities: [authority] }, seconds: 20 },
  { name: "a name without such records, as well", answer: { authorities: [authority] }, seconds: 20 },
  { name: "nothing without a zone, not at all", answer: { rcode: 3 }, seconds: 0 },
  { name: "a failure, for a moment", answer: { rcode: 2 }, seconds: 5 },
  { name: "a refusal, not at all", answer: { rcode: 5 }, seconds: 0 },
  { name: "half an answer, not at all", answer: { answers: [address(7)], truncated: true }, seconds: 0 },
];
for (const { name, answer, seconds } of kept)
  test(`remembers ${name}`, () => {
    const clock = new ManualClock();
    const cache = new AnswerCache(clock, defaultCacheBounds);
    cache.set("k", message(answer));
    assert.equal(cache.get("k") !== undefined, seconds > 0);
    clock.advance(Math.max(0, seconds * 1000 - 1));
    assert.equal(cache.get("k") !== undefined, seconds > 0);
    clock.advance(1);
    assert.equal(cache.get("k"), undefined);
  });

test("what is remembered says how long it still may be", () => {
  const clock = new ManualClock();
  const cache = new AnswerCache(clock, defaultCacheBounds);
  cache.set("k", message({ answers: [address(7), address(100)] }));
  clock.advance(3000);
  assert.deepEqual(
    cache.get("k")?.answers.map(({ ttl }) => ttl),
    [4, 4],
  );
});

test("the cache is bounded by number and size, and what was used last stays", () => {
  const cache = new AnswerCache(new ManualClock(), { ...defaultCacheBounds, maxEntries: 3, maxBytes: 100_000 });
  for (const key of ["a", "b", "c"]) cache.set(key, message({ answers: [address(9)] }));
  cache.get("a");
  cache.set("d", message({ answers: [address(9)] }));
  assert.deepEqual(
    ["a", "b", "c", "d"].map((key) => cache.get(key) !== undefined),
    [true, false, true, true],
  );
  const large = (length: number) => message({ answers: [{ ...address(9), type: recordType.TXT, data: new Uint8Array(length) }] });
  cache.set("large", large(60_000));
  cache.set("larger", large(61_000));
  cache.set("largest", large(200_000));
  assert.deepEqual(
    ["large", "larger", "largest"].map((key) => cache.get(key) !== undefined),
    [false, true, false],
  );
});

const texts: readonly { text: string; expect: string | undefined }[] = [
  { text: "10.0.0.1", expect: "10.0.0.1:53" },
  { text: "10.0.0.1:5353", expect: "10.0.0.1:5353" },
  { text: "dns://10.0.0.1", expect: "10.0.0.1:53" },
  { text: "fd00::1", expect: "[fd00::1]:53" },
  { text: "[fd00::1]:5353", expect: "[fd00::1]:5353" },
  { text: "[10.0.0.1]:53", expect: undefined },
  { text: "10.0.0.1:0", expect: undefined },
  { text: "10.0.0.1:99999", expect: undefined },
  { text: "example.org", expect: undefined },
  { text: "", expect: undefined },
];
for (const { text, expect } of texts)
  test(`the name server ${JSON.stringify(text)}`, () => {
    const server = parseServerAddress(text);
    assert.equal(server === undefined ? undefined : addressText(server), expect);
  });

test("a resolv.conf names servers", () => {
  const text = "# a\nsearch x.org\nnameserver 10.0.0.1\n  nameserver\tfd00::1 \nnameserver x.org\nnameserver\noptions ndots:5\n";
  assert.deepEqual(nameServersIn(text).map(addressText), ["10.0.0.1:53", "[fd00::1]:53"]);
});

const one = { host: "192.0.2.1", port: 53 };
const two = { host: "192.0.2.2", port: 53 };
const flags = { recursionDesired: true, checkingDisabled: false, authenticData: false, dnssecOk: false };
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
  const [first, second] = [forwarder.ask(question("x.org."), flags), forwarder.ask(question("X.org."), flags)];
  assert.equal(first, second);
  await first;
  assert.equal(forwarder.ask(question("x.ORG."), flags) instanceof Promise, false);
  assert.equal(asked, 1);
  await forwarder.ask(question("x.org."), { ...flags, dnssecOk: true });
  assert.equal(asked, 2);
});

test("a server that does not answer is followed by another, and comes last from then on", async () => {
  const asked: string[] = [];
  const { forwarder, clock, warnings } = forwarding((server, about, signal) => {
    asked.push(server.host);
    return server === one ? silence(server, about, signal) : Promise.resolve(message({ rcode: 3 }));
  });
  const first = forwarder.ask(question("a."), flags);
  await quiescence();
  clock.advance(2000);
  assert.equal((await first).rcode, 3);
  await forwarder.ask(question("b."), flags);
  assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2", "192.0.2.2"]);
  assert.deepEqual(warnings, ["failed to ask a name server"]);
});

test("when nobody answers it is a failure, in bounded time", async () => {
  const { forwarder, clock, warnings } = forwarding(silence);
  const asked = forwarder.ask(question("a."), flags);
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
  const all = Array.from({ length: 1000 }, (_, i) => forwarder.ask(question(`${i}.`), flags));
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
  for (const name of ["a.Corp.example.", "corp.example.", "xcorp.example."]) await forwarder.ask(question(name), flags);
  assert.deepEqual(asked, ["a.Corp.example. 192.0.2.2", "corp.example. 192.0.2.2", "xcorp.example. 192.0.2.1"]);
  assert.equal((await forwarder.ask(question("a.none.example."), flags)).rcode, responseCode.serverFailure);
});

test("a server from which a question comes back is not asked any more", async () => {
  const asked: string[] = [];
  const { forwarder } = forwarding(async ({ host }) => {
    asked.push(host);
    return message({ rcode: 3 });
  });
  const found = await forwarder.excludeLoops(question("probe."), () => asked.at(-1) === "192.0.2.1");
  assert.deepEqual(found, [one]);
  await forwarder.ask(question("a."), flags);
  assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2", "192.0.2.2"]);
});

test("a name server that packets cannot be sent to is a failure of the question alone", async () => {
  const question = { name: "x.org.", type: recordType.A, class: 1 };
  const asked = { question, dnssecOk: false, recursionDesired: true, checkingDisabled: false, authenticData: false };
  // As root or not, a socket must ask for the right to broadcast.
  await assert.rejects(exchange({ host: "255.255.255.255", port: 53 }, asked, new AbortController().signal), { code: "EACCES" });
});
