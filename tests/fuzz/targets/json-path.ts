/** JSONPath of printer columns and kubectl: found within its budget, or refused. */
import assert from "node:assert/strict";
import { JsonPathError, parseJsonPath, printJsonPathValue, relaxJsonPath } from "@coxswain/schema/jsonpath";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import { type FuzzTarget, unlessRefused } from "../harness/target.ts";

const grammar: Grammar = {
  template: ["{<path>}", "text{<path>}", "{<path>}<template>", "{range <path>}{<path>}{end}", "{'a'}<template>", "{{<path>}"],
  path: [".a", "<step>", "<step><path>", "$<path>", "@<path>"],
  step: [".<name>", "[<index>]", "..<name>", ".*", "[*]", "['<name>']", "[?(<filter>)]", "[<index>,<index>]", "..[*]"],
  name: ["a", "b", "items", "metadata", "a\\.b", "x-y", "length"],
  index: ["0", "-1", "1:2", ":", "::2", "0:-1", "5:1:-1", "99"],
  filter: ["@.a==1", "@<step> <operator> <literal>", "@.b", "<path> == <path>", "@.a>'x'"],
  operator: ["==", "!=", "<", "<=", ">", ">="],
  literal: ["1", "'x'", '"y"', "true", "null", "1.5", "-1"],
};

const value = {
  a: { b: [1, 2, { c: "x" }], "a.b": 1, a: { a: { b: [] } } },
  items: [
    { metadata: { name: "x" }, a: 1 },
    { metadata: { name: "y" }, a: 2, b: [[1], [2]] },
  ],
  "x-y": null,
};

export const jsonPath: FuzzTarget = {
  name: "json-path",
  modules: ["schema/src/jsonpath"],
  dictionary: [..."{ } [ ] ( ) . .. * $ @ ? : , ' \" \\ range end == != < > && || -".split(" "), "?(", "['", "']"],
  seeds: ["{.a.b[0]}", "{range .items[*]}{.metadata.name}{end}", "{.items[?(@.a==1)].metadata.name}", "{..a['b','a']}"],
  generate: (random) => textFrom(grammar, "template", random),
  judge(input) {
    const relaxed = unlessRefused(() => relaxJsonPath(input), isRefusal);
    if (relaxed !== undefined && relaxed !== "") unlessRefused(() => parseJsonPath(relaxed), isRefusal);
    const path = unlessRefused(() => parseJsonPath(input), isRefusal);
    if (path === undefined) return false;
    const found = unlessRefused(() => path(value), isRefusal);
    if (found === undefined) return false;
    const values = found.flat();
    assert.ok(values.length <= 10_000 + input.length, `${values.length} values`);
    for (const one of values) assert.equal(typeof printJsonPathValue(one), "string");
    return true;
  },
};

const isRefusal = (error: unknown): boolean => error instanceof JsonPathError;
