import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stringifyJson } from "../json/json.ts";
import { DecodeReport } from "../types/decode-report.ts";
import { parseYaml, stringifyYaml } from "./yaml.ts";

/** What sigs.k8s.io/yaml makes of them. */
const scalars: readonly [text: string, value: unknown][] = [
  ["yes", true],
  ["Off", false],
  ["y", true],
  ["yEs", "yEs"],
  ["~", null],
  ["", null],
  ["010", 8],
  ["08", 8],
  ["0o10", 8],
  ["0x1F", 31],
  ["-0b11", -3],
  ["1_000", 1000],
  ["+12", 12],
  ["1e3", 1000],
  [".5", 0.5],
  ["1.", 1],
  ["12:30", "12:30"],
  ["2024-01-01", "2024-01-01"],
  ["9223372036854775807", 9223372036854775807n],
  ["9223372036854775818", 2 ** 63],
  ["-9223372036854775808", -9223372036854775808n],
  ["18446744073709551615", 2 ** 64],
  ["18446744073709551616", 2 ** 64],
  ['"yes"', "yes"],
  ["'1'", "1"],
  ["!!str 1", "1"],
  ["!!float 1", 1],
  ["!!binary aGk=", "hi"],
  ["!mine 1", "1"],
  ["=", "="],
];
for (const [text, value] of scalars)
  test(`${text || "nothing"} is ${typeof value} ${value}`, async () => assert.deepEqual(await parseYaml(`k: ${text}`), { k: value }));

test("keys become strings", async () => assert.deepEqual(await parseYaml("1: a\nn: b\n1.5: c\n"), { "1": "a", false: "b", "1.5": "c" }));

test("anchors are copied, merges apply in order", async () => {
  const value = (await parseYaml("a: &x {p: 1, q: 2}\nb: *x\nc: {q: 3, <<: *x}\nd: {<<: [*x, {p: 9}], q: 4}\n")) as Record<string, unknown>;
  assert.deepEqual(value, { a: { p: 1, q: 2 }, b: { p: 1, q: 2 }, c: { p: 1, q: 2 }, d: { p: 1, q: 4 } });
  assert.notEqual(value.a, value.b);
});

test("the last of repeated keys wins, and all are reported in one problem", async () => {
  const report = new DecodeReport();
  assert.deepEqual(await parseYaml("a: 1\nb:\n  c: 1\n  c: 2\na: 2\n", { report }), { a: 2, b: { c: 2 } });
  assert.deepEqual(report.problems, [
    'yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map',
  ]);
});

test("only the first document counts", async () => assert.deepEqual(await parseYaml("a: 1\n---\nb: 2\n"), { a: 1 }));
test("nothing is null", async () => assert.deepEqual(await parseYaml("# nothing\n"), null));
test("__proto__ is a key", async () => {
  assert.equal(JSON.stringify(await parseYaml("__proto__: {a: 1}\n")), '{"__proto__":{"a":1}}');
});

/** What sigs.k8s.io/yaml makes of them. */
const loose: readonly [name: string, text: string, value: unknown][] = [
  ["a list's bracket below its key", "a:\n  b: [\n    x,\nz\n]\n", { a: { b: ["x", "z"] } }],
  ["a map's braces below its key", "a:\n- b: {\n  c: 1,\n}\n", { a: [{ b: { c: 1 } }] }],
  ["a text that goes on below its key", 'a:\n  b: ["\n    x\n  y\n\n  z\n"]\n', { a: { b: [" x y\nz "] } }],
  ["a block that ends with the text", "a: |\n  x\n  y", { a: "x\ny" }],
  ["a folded block that ends with the text", "a: >+\n  x\n  y", { a: "x y" }],
  ["a backslash before a slash", 'a: "\\\\/"\n', { a: "\\/" }],
  ["a block and a break", "a: |\n  x\n", { a: "x\n" }],
];
for (const [name, text, value] of loose) test(`takes ${name}`, async () => assert.deepEqual(await parseYaml(text), value));

test("what a text with many such lines costs is bounded", () =>
  assert.rejects(parseYaml(`a:\n  b: [\n${"x,\n".repeat(10_000)}]\n`), { message: /deficient indentation/ }));

const refused: readonly [name: string, text: string, why: RegExp][] = [
  ["an escaped slash", 'a: b\nc: "x\\\\\\/"\n', /^yaml: line 2: found unknown escape character$/],
  ["bad indentation", "a: b: c", /^yaml: line 1: /],
  ["an open list", "a: [1", /^yaml: line 1: /],
  ["an unknown anchor", "a: *x", /^yaml: unknown anchor 'x' referenced$/],
  ["an anchor in itself", "a: &x [*x]", /^yaml: anchor 'x' value contains itself$/],
  ["infinity", "a: .inf", /^json: unsupported value: \+Inf$/],
  ["a list as a key", "[a]: b", /invalid map key/],
  ["a merge of scalars", "<<: 1", /map merge requires map/],
  ["bad base64", "a: !!binary '%'", /invalid base64 data/],
  ["text as a number", "a: !!int x", /cannot decode !!str `x` as a !!int/],
  ["depth", `a: ${"[".repeat(5000)}`, /^yaml: /],
];
for (const [name, text, why] of refused)
  test(`refuses ${name}`, () => assert.rejects(parseYaml(text), { name: "DecodeError", message: why }));

test("an alias bomb is refused before it goes off", async () => {
  const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`);
  await assert.rejects(parseYaml(["a0: &a0 x", ...levels].join("\n")), { message: "yaml: document contains excessive aliasing" });
});

test("aliases may repeat a hundred thousand values, or ten million characters", async () => {
  const repeated = (anchor: string, aliases: number): string => `a: &a ${anchor}\nb: [${Array(aliases).fill("*a").join(",")}]\n`;
  const thousand = `[${Array(999).fill("x").join(",")}]`;
  const megabyte = "x".repeat(1024 * 1024);
  for (const [anchor, few, many] of [
    [thousand, 90, 110],
    [megabyte, 9, 12],
  ] as const) {
    await parseYaml(repeated(anchor, few));
    await assert.rejects(parseYaml(repeated(anchor, many)), { message: "yaml: document contains excessive aliasing" });
  }
});

test("prints as kubectl does", async () => {
  const text = 'a: "1"\nb:\n- 1\n- c: "true"\n  d: []\nbig: 9223372036854775807\n"n": null\nz: {}\n';
  assert.equal(await stringifyYaml({ z: {}, b: [1, { d: [], c: "true" }], a: "1", n: null, big: 9223372036854775807n }), text);
});

test("quotes what it would read as a number", async () => {
  assert.equal(await stringifyYaml({ "--- a": "...", "...b": "---" }), '"--- a": "..."\n...b: "---"\n');
  assert.equal(await stringifyYaml({ "-_0": ["+_1", "1_0", "0o7", "_"] }), '"-_0":\n- "+_1"\n- "1_0"\n- "0o7"\n- _\n');
});

test("reads back what it prints", () =>
  fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (object) => {
      const value: unknown = JSON.parse(JSON.stringify(object));
      assert.equal(stringifyJson(sorted(await parseYaml(await stringifyYaml(value)))), stringifyJson(sorted(value)));
    }),
  ));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([k, v]) => [k, sorted(v)])
    .sort();
}
