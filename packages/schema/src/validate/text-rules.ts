/** The rules for strings. Kubernetes reports the first that does not hold. Lengths are in characters, not in UTF-16 units. */

import { field, messageOf } from "@coxswain/machinery";
import { RE2JS } from "re2js";
import type { JsonSchema } from "../structural/schema.ts";
import { patternSize } from "./pattern.ts";
import { bodyError, fieldOfName, type Rule } from "./rule.ts";
import { simplePattern } from "./simple-pattern.ts";

export function textRules({ minLength, maxLength, pattern = "" }: JsonSchema): readonly Rule<string>[] {
  if (minLength === undefined && maxLength === undefined && pattern === "") return none;
  const rules: Rule<string>[] = [];
  if (maxLength !== undefined) rules.push(maxLengthRule(Number(maxLength)));
  if (minLength !== undefined) rules.push(minLengthRule(Number(minLength)));
  if (pattern !== "") rules.push(patternRule(pattern));
  return rules;
}

const none: readonly never[] = [];

const maxLengthRule = (max: number): Rule<string> => ({
  holds: (text) => text.length <= max || (text.length <= 2 * max && countCharacters(text) <= max),
  error: (_text, name) => field.tooLong(fieldOfName(name), max),
});

const minLengthRule = (min: number): Rule<string> => ({
  holds: (text) => text.length >= min && (text.length >= 2 * min || countCharacters(text) >= min),
  error: (text, name) => bodyError(name, text, `should be at least ${min} chars long`),
});

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** What a pattern compiles to; a sentence when it does not. */
type Matcher = { test(text: string): boolean } | string;

/** Anywhere in the text, as RE2 understands the pattern, in time linear in the text. Compiled when first needed. */
function patternRule(pattern: string): Rule<string> {
  let compiled: Matcher | undefined;
  const size = patternSize(pattern);
  const compile = (): Matcher => {
    compiled ??= simplePattern(pattern) ?? tryCompile(pattern);
    return compiled;
  };
  return {
    holds: (text, work) => {
      const matcher = compiled ?? compile();
      if (typeof matcher === "string") return false;
      if (matcher instanceof RE2JS) work.spend(text.length * size);
      return matcher.test(text);
    },
    error: (text, name) => {
      const matcher = compile();
      return bodyError(
        name,
        text,
        `should match '${typeof matcher === "string" ? `${pattern}, but pattern is invalid: ${matcher}` : pattern}'`,
      );
    },
  };
}

function tryCompile(pattern: string): Matcher {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return messageOf(error);
  }
}
