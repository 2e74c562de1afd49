/** Bodies in JSON: JSON.parse is the model, but for what Go reads otherwise. */
import assert from "node:assert/strict";
import { DecodeError, deepEqual, parseJson, stringifyJson } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import { type FuzzTarget, unlessRefused } from "../harness/target.ts";

export const jsonGrammar: Grammar = {
  value: ["<scalar>", "<scalar>", "{<members>}", "[<items>]", " <value>\n"],
  members: ["<string>:<value>", "<string>:<value>,<members>", ""],
  items: ["<value>", "<value>,<items>", ""],
  scalar: ["<string>", "<number>", "true", "false", "null"],
  string: ['"<characters>"', '"name"', '"metadata"', '"__proto__"', '""'],
  characters: ["a", "<character><characters>", "<character>"],
  character: ["a", "é", "\\n", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "\\/", "😀", " ", "<", "\\\\", '\\"'],
  number: ["0", "-1", "1.5", "1e3", "-0", "9007199254740993", "9223372036854775807", "9223372036854775808", "1E-2", "0.10", "123"],
};

export const json: FuzzTarget = {
  name: "json",
  modules: ["machinery/src/json", "machinery/src/types"],
  dictionary: ["{", "}", "[", "]", ":", ",", '"', '""', "null", "true", "false", '"a":1', "\\u", "\\ud83d", "e", "-", ".", "\ufeff", "//"],
  seeds: [
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b"}]}}',
    '[1,2.5,-3e4,"a",null,true,{"a":{}}]',
    '{"a":1,"a":{"b":2},"a":{"c":3}}',
  ],
  generate: (random) => textFrom(jsonGrammar, "value", random),
  judge(given) {
    const bytes = Buffer.from(given);
    const input = bytes.toString();
    const model = parsed(input);
    const value = unlessRefused(
      () => parseJson(bytes, { duplicates: "last" }),
      (error) => error instanceof DecodeError,
    );
    if (value === undefined) {
      assert.ok(model === undefined || /[eE]|\d{17}/.test(input) || depthOf(input) > 1_000, "refuses what JSON.parse takes");
      return false;
    }
    assert.ok(model !== undefined, "takes what JSON.parse refuses");
    if (!/\\u[dD][89a-fA-F]/.test(input)) assert.ok(deepEqual(toDoubles(value), model), "differs from JSON.parse");
    const text = stringifyJson(value);
    assert.equal(stringifyJson(parseJson(text)), text, "what it wrote is read otherwise");
    return true;
  },
};

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Brackets that are open at once, at most; those in strings too, which does no harm here. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}

function toDoubles(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toDoubles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toDoubles(member)]));
}
