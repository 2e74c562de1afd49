/** The rules for how much there is in lists and objects. */
import { canonicalJson, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { bodyError, fieldOfName, type Rule } from "./rule.ts";

const none: readonly never[] = [];

export function listRules({ minItems, maxItems, uniqueItems }: JsonSchema): readonly Rule<readonly unknown[]>[] {
  if (minItems === undefined && maxItems === undefined && uniqueItems !== true) return none;
  const rules: Rule<readonly unknown[]>[] = [];
  if (minItems !== undefined) rules.push(minRule(Number(minItems), "items", (list) => list.length));
  if (maxItems !== undefined) rules.push(maxRule(Number(maxItems), (list) => list.length));
  if (uniqueItems === true) rules.push(uniqueRule);
  return rules;
}

export function objectRules({ minProperties, maxProperties }: JsonSchema): readonly Rule<object>[] {
  if (minProperties === undefined && maxProperties === undefined) return none;
  const rules: Rule<object>[] = [];
  if (minProperties !== undefined) rules.push(minRule(Number(minProperties), "properties", countKeys));
  if (maxProperties !== undefined) rules.push(maxRule(Number(maxProperties), countKeys));
  return rules;
}

const countKeys = (object: object): number => Object.keys(object).length;

const minRule = <T>(min: number, what: string, size: (value: T) => number): Rule<T> => ({
  holds: (value) => size(value) >= min,
  error: (value, name) => bodyError(name, size(value), `should have at least ${min} ${what}`),
});

const maxRule = <T>(max: number, size: (value: T) => number): Rule<T> => ({
  holds: (value) => size(value) <= max,
  error: (value, name) => field.tooMany(fieldOfName(name), size(value), max),
});

const uniqueRule: Rule<readonly unknown[]> = {
  holds: (list) => new Set(list.map(canonicalJson)).size === list.length,
  error: (_list, name) => bodyError(name, "", "shouldn't contain duplicates"),
};
