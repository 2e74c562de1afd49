import assert from "node:assert/strict";
import { test } from "node:test";
import { PortBitmap } from "../effects/core/service/port-bitmap.ts";
import { planNodePorts } from "./service-node-ports.ts";

const range = { first: 30_000, last: 30_099 };
const bytes = (...ports: number[]): Uint8Array => PortBitmap.of(range, ports).encode();
const other = PortBitmap.of({ first: 30_000, last: 31_000 }, [30_001, 30_500]).encode();

const cases = [
  { name: "nothing is stored while nobody needs it", used: [], value: undefined, expect: undefined },
  { name: "what is missing is made of the Services", used: [30_001], value: undefined, expect: [30_001] },
  { name: "what is right stays", used: [30_001], value: bytes(30_001), expect: undefined },
  { name: "a port of a Service is taken", used: [30_001, 30_002], value: bytes(30_001), expect: [30_001, 30_002] },
  { name: "a port of no Service stays at first", used: [30_001], value: bytes(30_001, 30_002), expect: undefined },
  { name: "what is damaged is made anew", used: [30_001], value: new Uint8Array([1]), expect: [30_001] },
  { name: "that of another range is made anew, with what may be somebody's", used: [30_002], value: other, expect: [30_001, 30_002] },
  { name: "a port out of the range has no bit", used: [80], value: undefined, expect: undefined },
];
for (const { name, used, value, expect } of cases)
  test(name, () => {
    const { bitmap } = planNodePorts({ range, used: new Set(used), value, leaks: new Map() });
    assert.deepEqual(bitmap?.ports(), expect);
  });

test("a port that no Service has is free after the third pass, and counted anew when one has had it", () => {
  const pass = (used: number[], leaks: ReadonlyMap<number, number>) =>
    planNodePorts({ range, used: new Set(used), value: bytes(30_001), leaks });
  const first = pass([], new Map());
  const second = pass([], first.leaks);
  const third = pass([], second.leaks);
  assert.deepEqual(
    [first, second, third].map(({ bitmap }) => bitmap?.ports()),
    [undefined, undefined, []],
  );
  const seen = pass([30_001], second.leaks);
  assert.deepEqual([seen.bitmap, pass([], seen.leaks).bitmap], [undefined, undefined]);
});
