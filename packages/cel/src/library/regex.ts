/** Finding with regular expressions, RE2's: no pattern can take more than linear time. */

import type { RE2JS } from "re2js";
import { intAt, stringAt } from "../define/argument.ts";
import { type Cost, matching, matchingBounds, nothing, sizeOf } from "../define/call-cost.ts";
import { functionsOf, method } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { compilePattern } from "../standard/string.ts";
import { type CelType, intType, listOf, stringType } from "../types/type.ts";
import { ArrayList } from "../values/collections.ts";
import { CelError, type CelValue } from "../values/value.ts";

/** In the worst case every character is a result of its own. */
const finding: Cost = {
  cost: ([text, pattern]) => matching(sizeOf(text), sizeOf(pattern)),
  estimate: ([text = nothing, pattern = nothing]) => ({
    cost: matchingBounds(text, pattern),
    resultSize: { min: 0, max: text.max },
  }),
};

const texts = [stringType, stringType];
const list = listOf(stringType);

export const regex: CelLibrary = {
  name: "kubernetes.regex",
  functions: functionsOf({
    find: [searching("string_find_string", texts, stringType, (matches) => matches(1n)[0] ?? "")],
    findAll: [
      searching("string_find_all_string", texts, list, (matches) => new ArrayList(matches(-1n))),
      searching("string_find_all_string_int", [...texts, intType], list, (matches, args) => new ArrayList(matches(intAt(args, 2)))),
    ],
  }),
};

/** Finds at most so many, or all when the limit is negative. */
type Matches = (limit: bigint) => string[];

/** Constant patterns are compiled once. */
function searching(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  answer: (matches: Matches, args: readonly CelValue[]) => CelValue,
): CelOverload {
  const search = (pattern: RE2JS, args: readonly CelValue[]) => answer((limit) => findAll(pattern, stringAt(args, 0), limit), args);
  return {
    ...method(id, parameters, result, (args) => search(compile(stringAt(args, 1)), args)),
    ...finding,
    prepare: ([, text]) => {
      if (typeof text !== "string") return undefined;
      const pattern = compilePattern(text);
      return (args) => search(pattern, args);
    },
  };
}

/** An empty match right behind another does not count. */
function findAll(pattern: RE2JS, text: string, limit: bigint): string[] {
  const matcher = pattern.matcher(text);
  const found: string[] = [];
  let position = 0;
  let previousEnd = -1;
  while (position <= text.length && (limit < 0n || found.length < limit) && matcher.find(position)) {
    const end = matcher.end();
    const isEmpty = end === matcher.start();
    if (!isEmpty || end !== previousEnd) found.push(matcher.group() ?? "");
    previousEnd = end;
    position = isEmpty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
  }
  return found;
}

function compile(pattern: string): RE2JS {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw error instanceof CelError ? new CelError(`Illegal regex: ${error.message}`) : error;
  }
}
