/** Functions of strings that every environment has. */
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { stringAt } from "../define/argument.ts";
import { matching, sizeOf, traversal } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelOverload } from "../environment/library.ts";
import { boolType, stringType } from "../types/type.ts";
import { CelError } from "../values/value.ts";

const texts = [stringType, stringType];

/** A pattern is compiled once for as long as it stays the same: a constant one before it is ever used. */
const prepare: CelOverload["prepare"] = ([, constant]) => {
  let last = typeof constant === "string" ? { pattern: constant, compiled: compilePattern(constant) } : undefined;
  return (args) => {
    const pattern = stringAt(args, 1);
    if (last?.pattern !== pattern) last = { pattern, compiled: compilePattern(pattern) };
    return last.compiled.matcher(stringAt(args, 0)).find();
  };
};
const matches: CelOverload["call"] = (args) => compilePattern(stringAt(args, 1)).matcher(stringAt(args, 0)).find();

const wholeCost: Pick<CelOverload, "cost"> = { cost: ([text]) => traversal(sizeOf(text)) };

export const string = functionsOf({
  contains: [
    {
      ...method("contains_string", texts, boolType, (args) => stringAt(args, 0).includes(stringAt(args, 1))),
      cost: ([text, part]) => traversal(sizeOf(text)) * traversal(sizeOf(part)),
    },
  ],
  startsWith: [
    { ...method("starts_with_string", texts, boolType, (args) => stringAt(args, 0).startsWith(stringAt(args, 1))), ...wholeCost },
  ],
  endsWith: [{ ...method("ends_with_string", texts, boolType, (args) => stringAt(args, 0).endsWith(stringAt(args, 1))), ...wholeCost }],
  matches: [
    { ...plain("matches", texts, boolType, matches), prepare },
    { ...method("matches_string", texts, boolType, matches), prepare, cost: ([text, part]) => matching(sizeOf(text), sizeOf(part)) },
  ],
});

/** @throws CelError with the words of Go's regexp */
export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new CelError(error.message);
  }
}
