/** Bodies and files in YAML: what is read can be written as JSON and as YAML, and read again. */
import assert from "node:assert/strict";
import { DecodeError, parseJson, parseYaml, stringifyJson, stringifyYaml } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const grammar: Grammar = {
  document: ["<block>", "---\n<block>", "# comment\n<block>", "{<flow-members>}", "[<flow-items>]"],
  block: [
    "<scalar>\n",
    "<key>: <scalar>\n<block>",
    "<key>:\n  <key>: <scalar>\n",
    "- <scalar>\n<items>",
    "<key>:\n- <scalar>\n- <scalar>\n",
  ],
  items: ["- <scalar>\n", "- <scalar>\n<items>", "- <key>: <scalar>\n  <key>: <scalar>\n<items>"],
  key: ["a", "b", "<<", "? a", '"c d"', "&x e", "*x", "1", "null", "__proto__"],
  scalar: [
    ..."a 1 -1 0o17 017 0x1f 0b11 1_000 1.5 .5 1e3 .inf -.NaN true yes off ~ null 2001-01-01 190:20:30 '' \"\"".split(" "),
    "'it''s'",
    '"\\u0041\\n"',
    "&x a",
    "*x",
    "!!str 1",
    "!!int '1'",
    "!!binary aGk=",
    "!!float 1",
    "|\n    text\n    more\n",
    ">-\n    text\n\n    more\n",
    "{<flow-members>}",
    "[<flow-items>]",
  ],
  "flow-members": ["a: 1", "<key>: <scalar>, <flow-members>", ""],
  "flow-items": ["1", "<scalar>, <flow-items>", ""],
};

export const yaml: FuzzTarget = {
  name: "yaml",
  modules: ["machinery/src/yaml"],
  dictionary: [
    ..."--- ... : - ? & * << ! !! | > |- >+ # , [ ] { } ' \" %YAML &a *a ~ \n \t".split(" "),
    "\n",
    "\n  ",
    "\t",
    ": ",
    "- ",
    "\r\n",
  ],
  seeds: [
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: a\n    image: b\n",
    "a: &a {b: 1}\nc:\n  <<: *a\n  d: [*a, *a]\n",
    "text: |\n  one\n  two\nfolded: >-\n  one\n  two\n",
  ],
  generate: (random) => textFrom(grammar, "document", random),
  async judge(input) {
    const value = await read(input);
    if (value === undefined) return false;
    const asJson = stringifyJson(value);
    assert.equal(stringifyJson(parseJson(asJson)), asJson, "what it read is another JSON once it was stored");
    assert.equal(
      stringifyJson(sorted(await parseYaml(await stringifyYaml(value)))),
      stringifyJson(sorted(value)),
      "what it wrote is read otherwise",
    );
    assert.ok(asJson.length < 200 * input.length + 20 * 1024 * 1024, "a bomb");
    return true;
  },
};

async function read(text: string): Promise<unknown> {
  try {
    return await parseYaml(text);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
