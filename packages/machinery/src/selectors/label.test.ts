import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type LabelSelectorObject, labelSelectorFromObject, parseLabelSelector } from "./label.ts";

const matching: readonly [selector: string, labels: Record<string, string>, expect: boolean][] = [
  ["", { a: "1" }, true],
  ["a=1", { a: "1" }, true],
  ["a==1", { a: "2" }, false],
  ["a=1", {}, false],
  ["a!=1", {}, true],
  ["a!=1", { a: "1" }, false],
  ["a in (1,2)", { a: "2" }, true],
  ["a in (1,2)", {}, false],
  ["a notin (1,2)", { a: "3" }, true],
  ["a notin (1,2)", {}, true],
  ["a", { a: "" }, true],
  ["!a", { a: "" }, false],
  ["a=", { a: "" }, true],
  ["a=", {}, false],
  ["a in ()", { a: "" }, true],
  ["a>2", { a: "10" }, true],
  ["a>2", { a: "x" }, false],
  ["a<2", { a: "-1" }, true],
  ["a<2", { a: "9223372036854775808" }, false],
  ["a=1,b=2", { a: "1", b: "2" }, true],
  ["a=1,b=2", { a: "1" }, false],
  ["constructor", {}, false],
  ["!constructor", {}, true],
  ["constructor=a", { constructor: "a" } as Record<string, string>, true],
];
for (const [selector, labels, expect] of matching)
  test(`${selector} ${expect ? "matches" : "does not match"} ${JSON.stringify(labels)}`, () =>
    assert.equal(parseLabelSelector(selector).matches(labels), expect));

const texts: readonly [text: string, printed: string][] = [
  [" a = 1 ", "a=1"],
  ["b in (y, x),a", "a,b in (x,y)"],
  ["a in (1,,2,)", "a in (,1,2)"],
  ["a in (,)", "a in ()"],
  ["in in (in)", "in in (in)"],
  ["notin notin (notin)", "notin notin (notin)"],
  ["a notin (x),b,!c,d==e,f>5,g<3,h!=i", "a notin (x),b,!c,d==e,f>5,g<3,h!=i"],
  ["x/y=,z", "x/y=,z"],
];
for (const [text, printed] of texts) test(`prints ${text} as ${printed}`, () => assert.equal(String(parseLabelSelector(text)), printed));

const labelKey =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const integer = "for 'Gt', 'Lt' operators, the value must be an integer";

/** What k8s.io/apimachinery 0.36.3 says. */
const errors: readonly [text: string, message: string][] = [
  ["n in 1", "unable to parse requirement: found '1' expected: '('"],
  ["=x", "found '=', expected: !, identifier, or 'end of string'"],
  ["n===1", "unable to parse requirement: found '=', expected: identifier"],
  [",a", "found ',', expected: !, identifier, or 'end of string'"],
  ["a,", "found '', expected: identifier after ','"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["a!", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ["a (b)", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
  ["a gt 1", "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"],
  ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  ["/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ["-=1", `unable to parse requirement: <nil>: Invalid value: "-": name part ${labelKey}`],
  ["a=-b", `unable to parse requirement: values[0][a]: Invalid value: "-b": ${labelValue}`],
  ["a>x", `unable to parse requirement: values[0]: Invalid value: "x": ${integer}`],
  ["a>-x", `unable to parse requirement: [values[0]: Invalid value: "-x": ${integer}, values[0][a]: Invalid value: "-x": ${labelValue}]`],
];
for (const [text, message] of errors) test(`refuses ${text}`, () => assert.throws(() => parseLabelSelector(text), { message, code: 400 }));

const objects: readonly [object: LabelSelectorObject | undefined, printed: string, matchesEmpty: boolean][] = [
  [undefined, "", false],
  [{}, "", true],
  [{ matchLabels: { b: "2", a: "1" } }, "a=1,b=2", false],
  [{ matchExpressions: [{ key: "a", operator: "NotIn", values: ["y", "x"] }] }, "a notin (x,y)", true],
  [
    {
      matchLabels: { c: "" },
      matchExpressions: [
        { key: "a", operator: "Exists" },
        { key: "b", operator: "DoesNotExist" },
      ],
    },
    "a,!b,c=",
    false,
  ],
];
for (const [object, printed, matchesEmpty] of objects)
  test(`reads ${JSON.stringify(object)}`, () => {
    const selector = labelSelectorFromObject(object);
    assert.equal(selector.toString(), printed);
    assert.equal(selector.matches(undefined), matchesEmpty);
    assert.equal(selector.empty, object !== undefined && printed === "");
  });

const badObjects: readonly [operator: string, values: readonly string[], message: string][] = [
  ["In", [], "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"],
  ["Exists", ["x"], 'values: Invalid value: ["x"]: values set must be empty for exists and does not exist'],
  ["Foo", [], '"Foo" is not a valid label selector operator'],
];
for (const [operator, values, message] of badObjects)
  test(`refuses ${operator} with ${values.length} values`, () =>
    assert.throws(() => labelSelectorFromObject({ matchExpressions: [{ key: "a", operator, values }] }), { message, code: 400 }));

const name = fc.stringMatching(/^[a-z0-9]([-_.a-z0-9]{0,5}[a-z0-9])?$/);
const key = fc.oneof(
  fc.constantFrom("a", "b", "in", "notin", "constructor"),
  name,
  name.map((n) => `example.com/${n}`),
);
const value = fc.oneof(fc.constantFrom("", "1", "2", "10"), name);
const requirement = fc.oneof(
  fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map((parts) => parts.join("")),
  fc
    .tuple(key, fc.constantFrom(" in ", " notin "), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([k, op, vs]) => `${k}${op}(${vs})`),
  fc.tuple(key, fc.constantFrom(">", "<"), fc.nat()).map((parts) => parts.join("")),
  key,
  key.map((k) => `!${k}`),
);

test("what a selector prints is the same selector", () =>
  fc.assert(
    fc.property(fc.array(requirement), fc.dictionary(key, value), (requirements, labels) => {
      const selector = parseLabelSelector(requirements.join(","));
      const again = parseLabelSelector(selector.toString());
      assert.equal(again.toString(), selector.toString());
      assert.equal(again.matches(labels), selector.matches(labels));
      assert.equal(
        selector.matches(labels),
        requirements.every((r) => holds(r, new Map(Object.entries(labels)))),
      );
    }),
  ));

/** The rule of each operator, as the documentation states it. */
function holds(text: string, labels: ReadonlyMap<string, string>): boolean {
  const [, k = "", operator = "", rest = ""] = /^([^ =!<>]+)(==|=|!=|>|<| in | notin )(.*)$/.exec(text) ?? [];
  if (operator === "") return text.startsWith("!") ? !labels.has(text.slice(1)) : labels.has(text);
  const held = labels.get(k);
  const set = rest.replace(/[()]/g, "").split(",");
  if (operator === "!=" || operator === " notin ") return held === undefined || !set.includes(held);
  if (held === undefined) return false;
  if (operator === ">" || operator === "<") return /^\d+$/.test(held) && (operator === ">" ? +held > +rest : +held < +rest);
  return set.includes(held);
}
