import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { type Message, recordType } from "../message/message.ts";
import { addressRecord, authorityRecord } from "../message/records.ts";
import { AnswerCache, defaultCacheBounds } from "./answer-cache.ts";
import { exchange } from "./exchange.ts";
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

test("a name that is there and then is not is remembered once", () => {
  const cache = new AnswerCache(new ManualClock(), defaultCacheBounds);
  for (const answer of [{ answers: [address(9)] }, { rcode: 3, authorities: [authority] }, { answers: [address(9)] }]) {
    cache.set("k", message(answer));
    assert.deepEqual([cache.get("k")?.rcode, cache.size], [answer.rcode ?? 0, 1]);
  }
});

test("the cache is bounded by number and size, and what was used last stays", () => {
  const cache = new AnswerCache(new ManualClock(), { ...defaultCacheBounds, maxEntries: 3, maxBytes: 134_000 });
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

test("a name server that packets cannot be sent to is a failure of the question alone", async () => {
  const question = { name: "x.org.", type: recordType.A, class: 1 };
  const asked = { question, dnssecOk: false, recursionDesired: true, checkingDisabled: false, authenticData: false };
  // As root or not, a socket must ask for the right to broadcast.
  await assert.rejects(exchange({ host: "255.255.255.255", port: 53 }, asked, new AbortController().signal), { code: "EACCES" });
});
