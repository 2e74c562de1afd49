import { deepEqual, field, validateQualifiedName } from "@coxswain/machinery";
import type { MatchCondition, ParamKind } from "@coxswain/types/admissionregistration-v1";
import { addInvalid, type Errors } from "../checks.ts";
import { expressions } from "./lazy-expressions.ts";

const maxConditions = 64;

export interface Conditional {
  readonly paramKind?: ParamKind;
  readonly matchConditions?: readonly MatchCondition[];
}

/** Conditions cannot use a policy's variables: they decide before there are any. */
export function validateMatchConditions(out: Errors, path: string, { matchConditions = [], paramKind }: Conditional): void {
  if (matchConditions.length > maxConditions) out.push(field.tooMany(path, matchConditions.length, maxConditions));
  const compiler = expressions().createExpressionCompiler({ params: paramKind !== undefined, variables: false });
  const names = new Set<string>();
  for (const [i, { name, expression = "" }] of matchConditions.entries()) {
    const trimmed = expression.trim();
    if (trimmed === "") out.push(field.required(`${path}[${i}].expression`));
    else compiler.check(out, `${path}[${i}].expression`, trimmed, "condition");
    if (!name) {
      out.push(field.required(`${path}[${i}].name`));
      continue;
    }
    addInvalid(out, `${path}[${i}].name`, name, validateQualifiedName(name));
    if (names.has(name)) out.push(field.duplicate(`${path}[${i}].name`, name));
    names.add(name);
  }
}

/** Conditions that an update leaves as they were are not checked again. */
export const hasSameConditions = (next: Conditional, prev: Conditional): boolean =>
  deepEqual(next.matchConditions ?? [], prev.matchConditions ?? []) && deepEqual(next.paramKind, prev.paramKind);
