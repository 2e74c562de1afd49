import type { admissionregistrationV1, ExpressionCompiler } from "@coxswain/api";
import type { Expression, NamedExpressions } from "../cel/evaluate.ts";

/** The variables of a policy, each of which the following ones and all its expressions may use. */
export function compileVariables(compiler: ExpressionCompiler, given: readonly admissionregistrationV1.Variable[]): NamedExpressions {
  const variables = new Map<string, Expression>();
  for (const { name = "", expression: text = "" } of given) variables.set(name, { text, compiled: compiler.compileVariable(name, text) });
  return variables;
}
