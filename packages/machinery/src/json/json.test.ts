import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DecodeReport } from "../types/decode-report.ts";
import { parseJson, stringifyJson } from "./json.ts";
import { decodeUtf8 } from "./utf8.ts";

/** What Go's scanner says. */
const broken: readonly [text: string, message: string][] = [
  ["", "unexpected end of JSON input"],
  ["  ", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a', "unexpected end of JSON input"],
  ["-", "invalid character ' ' in numeric literal"],
  ["{not json", "invalid character 'n' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ["[]x", "invalid character 'x' after top-level value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[01]", "invalid character '1' after array element"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["nope", "invalid character 'o' in literal null (expecting 'u')"],
  ["truE", "invalid character 'E' in literal true (expecting 'e')"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ["é", "invalid character 'Ã' looking for beginning of value"],
  ["\uFEFF{}", "invalid character 'ï' looking for beginning of value"],
];
for (const [text, message] of broken) test(`${JSON.stringify(text)} is refused`, () => assert.throws(() => parseJson(text), { message }));

test("integers keep 64 bits", () => {
  const text =
    '{"a":9223372036854775807,"b":-9223372036854775808,"c":9007199254740991,"d":0.1234567890123456789,"e":"1234567890123456789"}';
  const value = parseJson(text) as Record<string, unknown>;
  assert.deepEqual([value.a, value.b, value.c], [9223372036854775807n, -9223372036854775808n, 9007199254740991]);
  assert.equal(stringifyJson(value), text.replace("0.1234567890123456789", "0.12345678901234568"));
});

const repeated: readonly [name: string, text: string, merged: string, problems: string[]][] = [
  ["objects become one", '{"data":{"a":"1"},"data":{"b":"2"}}', '{"data":{"a":"1","b":"2"}}', ['duplicate field "data"']],
  ["the last scalar wins", '{"a":1,"a":2,"a":3}', '{"a":3}', ['duplicate field "a"']],
  ["the last list wins", '{"a":[1,2],"a":[3]}', '{"a":[3]}', ['duplicate field "a"']],
  ["paths lead there", '{"a":[{"b":{"c":1,"c":1}}]}', '{"a":[{"b":{"c":1}}]}', ['duplicate field "a[0].b.c"']],
  ["escapes spell the same key", '{"a":1,"\\u0061":2}', '{"a":2}', ['duplicate field "a"']],
  ["__proto__ is a key", '{"__proto__":{"a":1},"__proto__":{"b":1}}', '{"__proto__":{"a":1,"b":1}}', ['duplicate field "__proto__"']],
  ["colons in strings do not count", '{"a":":\\\\","b":"\\":"}', '{"a":":\\\\","b":"\\":"}', []],
];
for (const [name, text, merged, problems] of repeated) {
  test(name, () => {
    const report = new DecodeReport();
    assert.equal(JSON.stringify(parseJson(text, { report })), merged);
    assert.deepEqual(report.problems, problems);
  });
}
test("in untyped objects the last one wins", () =>
  assert.deepEqual(parseJson('{"data":{"a":"1"},"data":{"b":"2"}}', { duplicates: "last" }), { data: { b: "2" } }));

test("depth is limited", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  assert.ok(parseJson(nested(1_000)));
  assert.throws(() => parseJson(nested(1_001)), { message: "invalid character '[' exceeded max depth" });
  assert.throws(() => parseJson("[".repeat(1_000_000)), { message: "invalid character '[' exceeded max depth" });
});

test("each byte that is not UTF-8 becomes U+FFFD", () => {
  const cases: readonly [number[], string][] = [
    [[0x61, 0xff, 0x62], "a\uFFFDb"],
    [[0xe2, 0x82], "\uFFFD\uFFFD"],
    [[0xed, 0xa0, 0x80], "\uFFFD\uFFFD\uFFFD"],
    [[0xf0, 0x9f, 0x98, 0x80, 0xc0], "😀\uFFFD"],
    [[0xef, 0xbf, 0xbd], "\uFFFD"],
  ];
  for (const [bytes, text] of cases) assert.equal(decodeUtf8(Uint8Array.from(bytes)), text);
});

const rounded = (value: unknown): string => JSON.stringify(JSON.parse(stringifyJson(value)));

const encoder = new TextEncoder();
test("reads what JSON.stringify writes", () =>
  fc.assert(
    fc.property(fc.jsonValue(), (value) => assert.equal(rounded(parseJson(encoder.encode(JSON.stringify(value)))), JSON.stringify(value))),
  ));

/** JSON.parse makes Infinity of what no double holds; here that is refused. */
function finite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("no double holds it");
  return value;
}

test("the exact reader agrees with JSON.parse, also in what it refuses", () => {
  const long = ',"long":12345678901234567}';
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.string({ maxLength: 2 }), (object, at, noise) => {
      const text = JSON.stringify({ x: 0, ...object }).replace(/}$/, long);
      const cut = at % text.length;
      const mutated = text.slice(0, cut) + noise + text.slice(cut + 1);
      let expected: unknown;
      try {
        expected = JSON.parse(mutated, finite);
      } catch {
        assert.throws(() => parseJson(mutated), { name: "DecodeError" });
        return;
      }
      assert.equal(rounded(parseJson(mutated, { duplicates: "last" })), JSON.stringify(expected));
    }),
  );
});

test("halves of characters become U+FFFD, whole ones stay", () =>
  assert.deepEqual(parseJson('{"a":"\\ud800x\\uDC00","\\ud83d\\ude00":"\\ud83d\\ude00"}'), { a: "\uFFFDx\uFFFD", "😀": "😀" }));

test("what no double holds is refused", () => {
  for (const text of ["1e400", "-1e400", `1${"0".repeat(400)}`])
    assert.throws(() => parseJson(`{"a":${text}}`), { message: `json: cannot unmarshal number ${text} into Go value of type float64` });
  assert.deepEqual(parseJson('{"a":1e-400,"b":1.50,"c":[1e3],"d":123456789012345678901234567890}'), {
    a: 0,
    b: 1.5,
    c: [1000],
    d: 1.2345678901234568e29,
  });
});
