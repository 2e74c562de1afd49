/** Calls: which function is meant, and which of its overloads the arguments' types allow. */

import { findFunction } from "../environment/declarations.ts";
import type { CelOverload } from "../environment/library.ts";
import { type Call, type Expr, operators, qualifiedName } from "../syntax/ast.ts";
import { boolType, type CelType, dynType, errorType, optionalOf } from "../types/type.ts";
import { sameType, showSignature } from "../types/type-text.ts";
import { type Substitutions, substitute, typeParts } from "../types/unify.ts";
import type { CheckContext } from "./check-context.ts";
import { selectedType } from "./check-select.ts";

export function checkCall(checker: CheckContext, call: Call): Expr {
  if (call.function === operators.optionalSelect) return checkOptionalSelect(checker, call);
  const args = call.args.map((arg) => checker.check(arg));
  const namespaced = findNamespaced(checker, call);
  if (namespaced) return resolve(checker, { ...call, function: namespaced.name, target: undefined, args }, namespaced.overloads);
  const target = call.target && checker.check(call.target);
  const found = findFunction(checker.declarations, call.function);
  if (found) return resolve(checker, { ...call, function: target ? call.function : found.name, target, args }, found.overloads);
  checker.reportUndeclared(call.id, call.function);
  return checker.typed({ ...call, target, args }, errorType);
}

/** In `a.b.f(x)`, the function `a.b.f` if there is such. */
function findNamespaced(checker: CheckContext, { target, function: name }: Call) {
  const prefix = target && qualifiedName(target);
  return prefix === undefined ? undefined : findFunction(checker.declarations, `${prefix}.${name}`);
}

function checkOptionalSelect(checker: CheckContext, call: Call): Expr {
  const [operand, field] = call.args;
  if (!operand || field?.kind !== "literal" || typeof field.value !== "string") {
    checker.report(call.id, "unsupported optional field selection");
    return checker.typed(call, errorType);
  }
  const checked = checker.check(operand);
  const type = optionalOf(selectedType(checker, call.id, checker.resolve(checker.typeOf(checked)), field.value));
  checker.references.set(call.id, { kind: "function", overloads: ["select_optional_field"] });
  return checker.typed({ ...call, args: [checked, field] }, checker.resolve(type));
}

function resolve(checker: CheckContext, call: Call, overloads: readonly CelOverload[]): Expr {
  const isMember = call.target !== undefined;
  const args = call.target ? [call.target, ...call.args] : call.args;
  const candidates = overloads.filter(({ member }) => (member ?? false) === isMember);
  if (call.function === operators.and || call.function === operators.or) return resolveLogic(checker, call, candidates);
  const types = args.map((arg) => checker.typeOf(arg));
  const chosen: string[] = [];
  let result: CelType | undefined;
  for (const overload of candidates) {
    const { parameters, result: own } = instantiate(checker, overload);
    if (!checker.assign(types, parameters)) continue;
    chosen.push(overload.id);
    const resolved = checker.resolve(own);
    if (!result) result = resolved;
    else if (result.kind !== "dyn" && !sameType(result, resolved)) result = dynType;
  }
  if (!result) {
    const shown = showSignature(
      types.map((type) => checker.resolve(type, true)),
      isMember,
    );
    checker.report(call.id, `found no matching overload for '${call.function}' applied to '${shown}'`);
    return checker.typed(call, errorType);
  }
  checker.references.set(call.id, { kind: "function", overloads: chosen });
  return checker.typed(call, result);
}

/** `&&` and `||` say of each operand by itself that it is no bool. */
function resolveLogic(checker: CheckContext, call: Call, candidates: readonly CelOverload[]): Expr {
  let type: CelType = boolType;
  for (const arg of call.args) {
    const actual = checker.typeOf(arg);
    if (checker.assign([actual], [boolType])) continue;
    checker.reportMismatch(arg.id, boolType, actual);
    type = errorType;
  }
  checker.references.set(call.id, { kind: "function", overloads: candidates.map(({ id }) => id) });
  return checker.typed(call, type);
}

/** An overload whose parameters are free: each use of it decides on its own what they stand for. */
function instantiate(checker: CheckContext, overload: CelOverload): Pick<CelOverload, "parameters" | "result"> {
  const fresh = new Map<string, CelType>();
  const name = (type: CelType): void => {
    if (type.kind === "param" && !fresh.has(type.name)) fresh.set(type.name, checker.newTypeVariable());
    for (const part of typeParts(type)) name(part);
  };
  for (const type of overload.parameters) name(type);
  name(overload.result);
  if (fresh.size === 0) return overload;
  const known: Substitutions = fresh;
  return {
    parameters: overload.parameters.map((type) => substitute(known, type, false)),
    result: substitute(known, overload.result, false),
  };
}
