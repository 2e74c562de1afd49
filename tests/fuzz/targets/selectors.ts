/** Label and field selectors: what is read, written and read again chooses the same. */
import assert from "node:assert/strict";
import { type FieldSelector, isBadRequest, parseFieldSelector, parseLabelSelector } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import { type FuzzTarget, unlessRefused } from "../harness/target.ts";

const labelGrammar: Grammar = {
  selector: ["<term>", "<term>,<selector>", "<term> , <selector>", ""],
  term: [
    "<key>",
    "!<key>",
    "<key>=<text>",
    "<key>==<text>",
    "<key> != <text>",
    "<key> in (<texts>)",
    "<key> notin (<texts>)",
    "<key>><number>",
    "<key> < <number>",
  ],
  key: ["a", "b", "c", "app.kubernetes.io/name", "in", "notin", "A_b", "a/b/c", "-a"],
  text: ["", "x", "y", "in", "1", "A.b", "x_y", "-"],
  texts: ["x", "<text>,<texts>", "<text>", ""],
  number: ["1", "0", "-1", "x", "99999999999999999999"],
};

const labelSets: readonly Record<string, string>[] = [
  {},
  { a: "x" },
  { a: "y", b: "" },
  { a: "1", c: "in", in: "x" },
  { b: "2", "app.kubernetes.io/name": "x" },
];

export const labelSelector: FuzzTarget = {
  name: "label-selector",
  modules: ["machinery/src/selectors/label", "machinery/src/validation"],
  dictionary: ["in", "notin", "(", ")", ",", "=", "==", "!=", "!", "<", ">", " ", "a", "x", "/", "exists"],
  seeds: ["a=x,b!=y", "a in (x,y),!b", "app.kubernetes.io/name notin (a),c>1", ""],
  generate: (random) => textFrom(labelGrammar, "selector", random),
  judge(input) {
    const selector = unlessRefused(() => parseLabelSelector(input), isBadRequest);
    if (selector === undefined) return false;
    const again = parseLabelSelector(selector.toString());
    assert.equal(again.toString(), selector.toString());
    for (const labels of labelSets) {
      const expected: boolean = selector.requirements.every(({ key, operator, values }) => chooses(operator, labels[key], values));
      assert.equal(selector.matches(labels), expected, `${JSON.stringify(labels)} against the model`);
      assert.equal(again.matches(labels), expected, `${JSON.stringify(labels)} after it was written`);
    }
    return true;
  },
};

function chooses(operator: string, value: string | undefined, values: readonly string[]): boolean {
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "notin":
    case "!=":
      return value === undefined || !values.includes(value);
    case "gt":
    case "lt": {
      if (value === undefined || !/^[-+]?\d+$/.test(value)) return false;
      return operator === "gt" ? BigInt(value) > BigInt(values[0] ?? "") : BigInt(value) < BigInt(values[0] ?? "");
    }
    default:
      return value !== undefined && values.includes(value);
  }
}

const fieldGrammar: Grammar = {
  selector: ["<term>", "<term>,<selector>", ""],
  term: ["<field>=<text>", "<field>==<text>", "<field>!=<text>", "=", "<field>"],
  field: ["metadata.name", "spec.nodeName", "status.phase", ""],
  text: ["", "x", "a\\,b", "a\\=b", "a\\\\b", "\\", "x y", "é"],
};

const fieldSets: readonly Record<string, string>[] = [
  {},
  { "metadata.name": "x" },
  { "metadata.name": "a,b", "spec.nodeName": "a=b" },
  { "status.phase": "" },
];

export const fieldSelector: FuzzTarget = {
  name: "field-selector",
  modules: ["machinery/src/selectors/field"],
  dictionary: ["=", "==", "!=", ",", "\\", "\\,", "\\=", "\\\\", "metadata.name", "x", ""],
  seeds: ["metadata.name=x", "spec.nodeName!=a\\,b,status.phase==", ""],
  generate: (random) => textFrom(fieldGrammar, "selector", random),
  judge(input) {
    const selector = unlessRefused(() => parseFieldSelector(input), isBadRequest);
    if (selector === undefined) return false;
    const again = parseFieldSelector(selector.toString());
    // They stand in the order of the terms' texts, and `==` is written as `=`.
    assert.deepEqual(inOrder(again), inOrder(selector), "what it wrote is read otherwise");
    for (const fields of fieldSets) {
      const expected: boolean = selector.requirements.every(
        ({ field, operator, value }) => ((fields[field] ?? "") === value) === (operator === "="),
      );
      assert.equal(
        selector.matches((field) => fields[field]),
        expected,
        `${JSON.stringify(fields)} against the model`,
      );
    }
    return true;
  },
};

const inOrder = ({ requirements }: FieldSelector): readonly string[] => requirements.map((one) => JSON.stringify(one)).sort();
