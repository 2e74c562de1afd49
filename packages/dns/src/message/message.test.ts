import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeHeader, decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { FormatError } from "./format-error.ts";
import { type Message, recordType } from "./message.ts";
import { isWithin, labelsOf, lowerCase, nameBytes, readName } from "./name.ts";
import {
  addressBytes,
  addressOfReverse,
  addressRecord,
  aliasRecord,
  canonicalAddress,
  negativeTtl,
  serviceRecord,
  targetOf,
} from "./records.ts";

const message: Message = {
  id: 0x1234,
  isResponse: true,
  opcode: 0,
  authoritative: true,
  truncated: false,
  recursionDesired: true,
  recursionAvailable: false,
  authenticData: true,
  checkingDisabled: true,
  rcode: 3,
  questions: [{ name: "Web.shop.SVC.cluster.local.", type: recordType.A, class: 1 }],
  answers: [
    aliasRecord("Web.shop.SVC.cluster.local.", 30, "other.shop.svc.cluster.local."),
    addressRecord("other.shop.svc.cluster.local.", 30, Uint8Array.of(10, 0, 0, 1)),
  ],
  authorities: [serviceRecord("_a._tcp.cluster.local.", 5, { weight: 1, port: 2, target: "x.cluster.local." })],
  additionals: [addressRecord("x.cluster.local.", 30, new Uint8Array(16))],
  edns: { udpSize: 1232, version: 0, dnssecOk: true },
};

test("a message is read as it was written, with owners' names compressed", () => {
  const bytes = encodeMessage(message);
  assert.deepEqual(decodeMessage(bytes), message);
  assert.equal(Buffer.from(bytes).toString("latin1").split("\x07cluster").length - 1, 3, "once for owners and once for each target");
});

test("an extended code takes its upper bits from the OPT record", () => {
  assert.equal(decodeMessage(encodeMessage({ ...message, rcode: 16 })).rcode, 16);
  assert.equal(decodeHeader(encodeMessage({ ...message, rcode: 16 }))?.rcode, 0);
});

test("records that do not fit are left out, from the last section on, and the message is truncated", () => {
  const many = {
    ...message,
    answers: Array.from({ length: 40 }, (_, i) => addressRecord("web.shop.svc.cluster.local.", 30, Uint8Array.of(10, 0, 0, i))),
  };
  const bytes = encodeMessage(many, 512);
  const read = decodeMessage(bytes);
  assert.ok(bytes.length <= 512 && bytes.length > 480);
  assert.deepEqual([read.truncated, read.authorities.length, read.additionals.length], [true, 0, 0]);
  assert.deepEqual(read.answers, many.answers.slice(0, read.answers.length));
  assert.deepEqual(read.edns, message.edns);
});

const header = "1234 0100 0001 0000 0000 0000".replaceAll(" ", "");
const hostile: readonly { name: string; hex: string }[] = [
  { name: "nothing", hex: "" },
  { name: "half a header", hex: "1234010000" },
  { name: "a header without the question it counts", hex: header },
  { name: "a name that points to itself", hex: `${header}c00c00010001` },
  { name: "a name that points forward", hex: `${header}c01200010001000000` },
  { name: "two names that point to each other", hex: `${header}0161c0100162c00c00010001` },
  { name: "a pointer without its second byte", hex: `${header}c0` },
  { name: "a label longer than the message", hex: `${header}3f61` },
  { name: "a label of a kind that is reserved", hex: `${header}40610000010001` },
  { name: "a name of 256 bytes", hex: `${header}${`3f${"61".repeat(63)}`.repeat(4)}0000010001` },
  { name: "65,535 questions", hex: "12340100ffff00000000000000000100010000010001" },
  { name: "65,535 answers", hex: "123401000000ffff00000000" },
  { name: "a record longer than the message", hex: "12340100000000010000000000000100010000001effff0a" },
  { name: "an address of three bytes", hex: "12340100000000010000000000000100010000001e00030a0000" },
  { name: "a target longer than its data", hex: "12340100000000010000000000000500010000001e000103616161" + "00" },
];
for (const { name, hex } of hostile)
  test(`does not read ${name}`, () => assert.throws(() => decodeMessage(Buffer.from(hex, "hex")), FormatError));

test("pointers do not make much of little", () => {
  // Each record has a name of 250 bytes in two.
  const long = `${`3f${"61".repeat(63)}`.repeat(3)}3a${"61".repeat(58)}00`;
  const question = `${long}00010001`;
  const record = "c00c000a00010000001e0000";
  const packet = Buffer.from(`1234010000011388000000000000`.slice(0, 24) + question + record.repeat(5000), "hex");
  assert.throws(() => decodeMessage(packet), /too many long names/);
});

test("names that differ have texts that differ", () => {
  const texts = ["a.b.", "a\\.b.", "a\\\\.b.", "a\\000b.", ".".repeat(1)];
  for (const text of texts) assert.equal(readName(nameBytes(text), 0).name, text);
  assert.deepEqual(labelsOf("a\\.b.c."), ["a\\.b", "c"]);
  assert.equal(isWithin("a\\.cluster.local.", "cluster.local."), false);
  assert.equal(isWithin("cluster.local.", "cluster.local."), true);
  assert.equal(isWithin("xcluster.local.", "cluster.local."), false);
  assert.equal(lowerCase("WEB.ÄÖ."), "web.ÄÖ.");
  for (const text of ["", "a..b.", `${"a".repeat(64)}.`]) assert.throws(() => nameBytes(text === "" ? ".".repeat(2) : text), FormatError);
});

test("addresses have one text, and names of their own below arpa", () => {
  assert.equal(canonicalAddress("FD00:0:0::1"), "fd00::1");
  assert.equal(canonicalAddress("010.0.0.1"), undefined);
  assert.deepEqual(addressBytes("fd00::12"), Uint8Array.of(0xfd, ...new Array<number>(14).fill(0), 0x12));
  assert.equal(addressOfReverse("1.0.96.10.in-addr.arpa."), "10.96.0.1");
  assert.equal(addressOfReverse("96.10.in-addr.arpa."), undefined);
  assert.equal(addressOfReverse(`${"1.0".padEnd(63, ".0")}.ip6.arpa.`), "::1");
});

test("data that records have are read from them", () => {
  assert.equal(targetOf(aliasRecord("a.", 1, "B.c.")), "B.c.");
  const soa = {
    name: "a.",
    type: recordType.SOA,
    class: 1,
    ttl: 100,
    data: Buffer.from("0000".concat("00000000".repeat(4), "00000007"), "hex"),
  };
  assert.equal(negativeTtl(soa), 7);
  assert.equal(negativeTtl({ ...soa, data: new Uint8Array(0) }), 0);
});
