import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonPath, printJsonPathValue, relaxJsonPath } from "./json-path.ts";
import { JsonPathError } from "./node.ts";

const object = {
  metadata: { labels: { "app.kubernetes.io/name": "web" } },
  spec: {
    row: "A",
    count: 3,
    big: 9007199254740993n,
    ratio: 1234567.5,
    nothing: null,
    list: [1, 2, 3, 4, 5],
    conditions: [
      { type: "Ready", status: "True", weight: 1, tags: ["p", "q"] },
      { type: "Synced", status: "False", weight: 2, tags: [] },
    ],
    map: { b: { v: 2 }, a: { v: 1 } },
    html: { text: "<&>" },
  },
};
const printed = (path: string): string[][] => parseJsonPath(path)(object).map((values) => values.map(printJsonPathValue));

// The answers of client-go 0.36.3.
const found: readonly { path: string; values: string[][] }[] = [
  { path: "{.spec.row}", values: [["A"]] },
  { path: "{@.spec.row}", values: [["A"]] },
  { path: "{$.spec.row}", values: [["A"]] },
  { path: "{['spec']['row']}", values: [["A"]] },
  { path: "{.spec['row','count']}", values: [["A", "3"]] },
  { path: "{.metadata.labels.app\\.kubernetes\\.io/name}", values: [["web"]] },
  { path: "{.metadata.labels['app\\.kubernetes\\.io/name']}", values: [["web"]] },
  { path: "{.spec.none.row}", values: [[]] },
  { path: "{.spec.row.none}", values: [[]] },
  { path: "{.spec.constructor}", values: [[]] },
  { path: "{.spec.nothing}", values: [["<no value>"]] },
  { path: "{.spec.nothing.x}", values: [[]] },
  { path: "{.}", values: [[]] },
  { path: "{.spec.big}", values: [["9007199254740993"]] },
  { path: "{.spec.ratio}", values: [["1.2345675e+06"]] },
  { path: "{.spec.map}", values: [['{"a":{"v":1},"b":{"v":2}}']] },
  { path: "{.spec.html}", values: [['{"text":"\\u003c\\u0026\\u003e"}']] },
  { path: "{.spec.list}", values: [["[1,2,3,4,5]"]] },
  { path: "{.spec.list[0]}", values: [["1"]] },
  { path: "{.spec.list[-1]}", values: [["5"]] },
  { path: "{.spec.list[1:3]}", values: [["2", "3"]] },
  { path: "{.spec.list[-2:]}", values: [["4", "5"]] },
  { path: "{.spec.list[::2]}", values: [["1", "3", "5"]] },
  { path: "{.spec.list[0,2]}", values: [["1", "3"]] },
  { path: "{.spec.list[5:5]}", values: [[]] },
  { path: "{.spec.list[]}", values: [["1"]] },
  { path: "{.spec.map.*.v}", values: [["1", "2"]] },
  { path: "{.spec.conditions[*].type}", values: [["Ready", "Synced"]] },
  { path: "{..status}", values: [["True", "False"]] },
  { path: '{.spec.conditions[?(@.type=="Ready")].status}', values: [["True"]] },
  { path: "{.spec.conditions[?(@.type!='Ready')].status}", values: [["False"]] },
  { path: "{.spec.conditions[?(@.weight>1)].type}", values: [["Synced"]] },
  { path: "{.spec.conditions[?(@.weight<=1)].type}", values: [["Ready"]] },
  { path: "{.spec.conditions[?(@.type=='a)]')].type}", values: [[]] },
  { path: "{.spec.conditions[?(@.tags)].type}", values: [["Ready", "Synced"]] },
  { path: "{.spec.conditions[?(@.none)].type}", values: [[]] },
  { path: "{.spec.conditions[?(@.tags[1])].type}", values: [["Ready", "Synced"]] },
  { path: "row {.spec.row}, {.spec.count}", values: [["row "], ["A"], [", "], ["3"]] },
  { path: "{range .spec.conditions[*]}{.type}{'\\n'}{end}!", values: [["Ready"], ["\n"], ["Synced"], ["\n"], ["!"]] },
  { path: '{"\\x41\\u00e9\\101\\""}', values: [['AéA"']] },
];
for (const { path, values } of found) {
  test(`${path} leads to ${JSON.stringify(values)}`, () => assert.deepEqual(printed(path), values));
}

const unusable = [
  { path: "{spec.row}", message: "unrecognized identifier spec" },
  { path: "{end}", message: "not in range, nothing to end" },
  { path: "{.spec.list[9]}", message: "array index out of bounds: index 9, length 5" },
  { path: "{.spec.list[1:9]}", message: "array index out of bounds: index 8, length 5" },
  { path: "{.spec.list[3:1]}", message: "starting index 3 is greater than ending index 1" },
  { path: "{.spec.list[0:2:0]}", message: "step must be > 0" },
  { path: "{.spec[0]}", message: "map[string]interface {} is not array or slice" },
  { path: "{.spec.row[?(@.x)]}", message: "A is not array or slice and cannot be filtered" },
  { path: "{.spec.conditions[?(@.weight==1.0)]}", message: "incompatible types for comparison" },
  { path: "{.spec.conditions[?(@.weight=1)]}", message: "unrecognized filter operator =" },
  { path: "{.spec.conditions[?(@.tags==1)]}", message: "invalid type for comparison" },
  { path: "{.spec.conditions[?(@.*=='x')]}", message: "can only compare one element at a time" },
];
for (const { path, message } of unusable) {
  test(`${path} cannot be applied: ${message}`, () => {
    const find = parseJsonPath(path);
    assert.throws(() => find(object), new JsonPathError(message));
  });
}

const malformed = [
  { path: "{.spec", message: "unclosed action" },
  { path: "{#}", message: "unrecognized character in action: U+0023 '#'" },
  { path: "{\t}", message: "unrecognized character in action: U+0009" },
  { path: "{.a[}", message: "unterminated array" },
  { path: "{.a[b]}", message: "invalid array index b" },
  { path: "{.a[-]}", message: "array index - is not a number" },
  { path: "{.a[?(@.x}", message: "unterminated filter" },
  { path: "{.a[?(@.x)}", message: "unclosed array expect ]" },
  { path: "{....}", message: "invalid multiple recursive descent" },
  { path: '{"a}', message: "unterminated quoted string" },
  { path: '{"\\q"}', message: 'unquote string "\\q" error invalid syntax' },
  { path: "{1.2.3}", message: "cannot parse number 1.2.3" },
];
for (const { path, message } of malformed) {
  test(`${path} is malformed: ${message}`, () => assert.throws(() => parseJsonPath(path), new JsonPathError(message)));
}

test("a search is given up before it touches too many values", () => {
  let deep: unknown = "x";
  for (let i = 0; i < 300; i++) deep = { a: deep, b: deep };
  const find = parseJsonPath("{..a..a..a}");
  assert.throws(() => find(deep), new JsonPathError("the path leads to too many values"));
  assert.throws(() => parseJsonPath("{range .a}".repeat(10_000)), JsonPathError);
});

for (const { path, template } of [
  { path: "spec.row", template: "{.spec.row}" },
  { path: ".spec.row", template: "{.spec.row}" },
  { path: "{spec.row}", template: "{.spec.row}" },
  { path: "{.spec.row}", template: "{.spec.row}" },
  { path: "", template: "" },
])
  test(`${path} is short for ${template}`, () => assert.equal(relaxJsonPath(path), template));

test("a path has no braces within", () =>
  assert.throws(() => relaxJsonPath("{.a}{.b}"), /^JsonPathError: unexpected path string, expected a 'name1/));
