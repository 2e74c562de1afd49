import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMessageCodecs } from "./message-codec.ts";
import { parseProto } from "./proto-file.ts";

const { messages } = parseProto(`
  message All {
    string text = 1; bytes raw = 2; bool yes = 3; int32 small = 4; uint32 count = 5; int64 large = 6; uint64 size = 7;
    Color color = 8; Inner inner = 9; repeated string texts = 10; repeated int64 numbers = 11; repeated Inner inners = 12;
    map<string, string> labels = 13; map<string, Inner> byName = 14; repeated Color colors = 300; int64 exact = 15 [jstype = JS_STRING];
  }
  message Inner { string name = 1; All all = 2; }
  enum Color { RED = 0; GREEN = 1; BLUE = 5; }
`);
const codecOf = createMessageCodecs();
const [allType, innerType] = [messages.get("All"), messages.get("Inner")];
assert.ok(allType && innerType);
const all = codecOf(allType);
const inner = codecOf(innerType);

const zero = {
  text: "",
  raw: Buffer.alloc(0),
  yes: false,
  small: 0,
  count: 0,
  large: 0,
  size: 0,
  color: "RED",
  inner: null,
  texts: [],
  numbers: [],
  inners: [],
  labels: {},
  byName: {},
  colors: [],
  exact: "0",
};

/** Bytes by the rules of https://protobuf.dev/programming-guides/encoding/ */
const known = [
  { name: "nothing", value: {}, hex: "" },
  { name: "zeros", value: zero, hex: "" },
  { name: "text", value: { text: "testing" }, hex: "0a0774657374696e67" },
  { name: "a number of two bytes", value: { small: 150 }, hex: "209601" },
  { name: "a negative number", value: { small: -2 }, hex: "20feffffffffffffffff01" },
  { name: "a negative 64-bit number", value: { large: -1 }, hex: "30ffffffffffffffffff01" },
  { name: "a 64-bit number as text, to its last digit", value: { exact: "7587895678323621377" }, hex: "7881fccd99acdde7a669" },
  { name: "nanoseconds", value: { large: 1_700_000_000_000_000_000 }, hex: "308080a8b1e39fe7cb17" },
  { name: "an enum's name", value: { color: "BLUE" }, hex: "4005" },
  { name: "a message without fields", value: { inner: { name: "", all: null } }, hex: "4a00" },
  { name: "texts, empty ones too", value: { texts: ["a", ""] }, hex: "5201615200" },
  { name: "numbers, packed", value: { numbers: [1, 0, 300] }, hex: "5a040100ac02" },
  { name: "names of enums, packed", value: { colors: ["RED", "GREEN"] }, hex: "e212020001" },
  { name: "a map", value: { labels: { a: "b", c: "" } }, hex: "6a060a01611201626a050a01631200" },
];
for (const { name, value, hex } of known)
  test(`${name}: written as protobuf has it, and read again`, () => {
    assert.equal(Buffer.from(all.encode(value)).toString("hex"), hex);
    assert.deepEqual(all.decode(Buffer.from(hex, "hex")), { ...zero, ...value });
  });

const read = [
  { name: "numbers that are not packed", hex: "58015802", value: { numbers: [1, 2] } },
  { name: "the last of a field that comes twice", hex: "0a01610a0162", value: { text: "b" } },
  { name: "a number beyond 2^63", hex: "38ffffffffffffffffff01", value: { size: 2 ** 64 } },
  { name: "an enum's number without a name", hex: "4007", value: { color: "7" } },
  { name: "what it does not know, skipped", hex: "a00101a10100000000000000000a0161", value: { text: "a" } },
  { name: "a field written as another type, skipped", hex: "0805", value: {} },
  { name: "bytes that are no UTF-8", hex: "0a02ff61", value: { text: "\uFFFDa" } },
  { name: "a map's entry without a value", hex: "6a030a0161", value: { labels: { a: "" } } },
];
for (const { name, hex, value } of read)
  test(`reads ${name}`, () => assert.deepEqual(all.decode(Buffer.from(hex, "hex")), { ...zero, ...value }));

test("a message in parts is put together", () => {
  const parts = [{ inner: { name: "a" } }, { inner: { all: { text: "b" } } }].map((part) => all.encode(part));
  assert.deepEqual(all.decode(Buffer.concat(parts)), { ...zero, inner: { name: "a", all: { ...zero, text: "b" } } });
});

test("a map's keys are members of its own, whatever they are called", () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}');
  const decoded = all.decode(all.encode({ labels })) as typeof zero;
  assert.deepEqual(Object.entries(decoded.labels), [
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
});

test("an enum's name that there is not cannot be written", () => {
  assert.throws(() => all.encode({ color: "PINK" }), { message: "Color has no PINK" });
});

test("any message is read as it was written", () => {
  const text = fc.string({ unit: "grapheme" });
  const named = fc.record({ name: text, all: fc.constant(null) }, { noNullPrototype: true });
  const whole = fc.record(
    {
      text,
      raw: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      yes: fc.boolean(),
      small: fc.integer(),
      count: fc.nat(2 ** 32 - 1),
      large: fc.maxSafeInteger(),
      size: fc.maxSafeNat(),
      color: fc.constantFrom("RED", "GREEN", "BLUE"),
      texts: fc.array(text),
      numbers: fc.array(fc.maxSafeInteger()),
      inners: fc.array(named),
      labels: fc.dictionary(text, text, { noNullPrototype: true }),
      byName: fc.dictionary(text, named, { noNullPrototype: true }),
      colors: fc.array(fc.constantFrom("RED", "GREEN", "BLUE")),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const nonZero = whole.map((value) => Object.fromEntries(Object.entries(value).map(([key, one]) => [key, Object.is(one, -0) ? 0 : one])));
  fc.assert(
    fc.property(nonZero, (value) => {
      assert.deepEqual(all.decode(all.encode(value)), { ...zero, ...value });
      assert.deepEqual(inner.decode(inner.encode({ all: value })), { name: "", all: { ...zero, ...value } });
    }),
  );
});

test("any bytes are read, or fail as what cannot be decoded", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        all.decode(bytes);
      } catch (error) {
        assert.equal((error as Error).name, "DecodeError");
      }
    }),
    { numRuns: 2_000 },
  );
});
