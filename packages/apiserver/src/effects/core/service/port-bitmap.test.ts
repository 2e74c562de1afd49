import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePortRange } from "../../../configuration/port-range.ts";
import { textOf } from "../../../storage/stored-object.ts";
import { PortBitmap } from "./port-bitmap.ts";

const range = { first: 30_000, last: 32_767 };
const stored = (data: string | null, text = "30000-32767") =>
  Buffer.from(JSON.stringify({ kind: "RangeAllocation", apiVersion: "v1", metadata: {}, range: text, data }));

// Data as Go's big.Int has them: SetBit(x, port - 30000, 1), then Bytes().
const cases = [
  { ports: [], data: "" },
  { ports: [30_000], data: "AQ==" },
  { ports: [30_007], data: "gA==" },
  { ports: [30_000, 30_009], data: "AgE=" },
  { ports: [30_080], data: "AQAAAAAAAAAAAAA=" },
];
for (const { ports, data } of cases)
  test(`the ports ${ports.join(", ") || "of none"} are stored as Kubernetes stores them`, () => {
    const text = textOf(PortBitmap.of(range, ports).encode());
    assert.equal(text, stored(data).toString());
    assert.deepEqual(PortBitmap.parse(stored(data))?.ports(), ports);
  });

test("ports are taken and freed, and those out of the range have no bit", () => {
  const first = PortBitmap.of(range, [30_000, 32_767, 29_999, 32_768]);
  assert.deepEqual(first.ports(), [30_000, 32_767]);
  const next = first.with([30_500], [32_767, 80]);
  assert.deepEqual(next.ports(), [30_000, 30_500]);
  assert.deepEqual([next.has(30_500), next.has(30_501), next.has(29_999)], [true, false, false]);
  assert.deepEqual(first.ports(), [30_000, 32_767]);
});

test("leading zeros are read, and not stored", () => {
  const read = PortBitmap.parse(stored("AAACAQ=="));
  assert.deepEqual(read?.ports(), [30_000, 30_009]);
  assert.deepEqual(read?.with([], []).encode(), new Uint8Array(stored("AgE=")));
  assert.deepEqual(PortBitmap.parse(stored(null))?.ports(), []);
});

for (const [what, value] of [
  ["no JSON", Buffer.from("k8s")],
  ["another kind", Buffer.from('{"kind":"ConfigMap","range":"1-2"}')],
  ["no range", Buffer.from('{"kind":"RangeAllocation"}')],
  ["a range of nonsense", stored("", "a-b")],
] as const)
  test(`${what} is no bitmap`, () => assert.equal(PortBitmap.parse(value), undefined));

for (const [text, first, last] of [
  ["30000-32767", 30_000, 32_767],
  ["30000+100", 30_000, 30_100],
  ["80", 80, 80],
] as const)
  test(`the range ${text} goes from ${first} to ${last}`, () => assert.deepEqual(parsePortRange(text), { first, last }));

for (const [text, message] of [
  ["2-1", "end port cannot be less than start port: 2-1"],
  ["1-65536", "the port range cannot be greater than 65535: 1-65536"],
  ["-1-2", "unable to parse port range: -1-2"],
  ["", "unable to parse port range: "],
] as const)
  test(`the range ${JSON.stringify(text)} is refused`, () => assert.throws(() => parsePortRange(text), new RangeError(message)));
