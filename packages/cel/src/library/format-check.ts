/** Checks literal formats against the literal lists that they are used on, before anything is evaluated. */

import type { AstValidator } from "../environment/library.ts";
import { type Call, type CheckedAst, children, type Expr } from "../syntax/ast.ts";
import { type CelType, dynType } from "../types/type.ts";
import { CelError } from "../values/value.ts";
import { clauses, parseClause, typeProblem, type Verb } from "./format-string.ts";

export const literalFormats: AstValidator = (ast, report) => check(ast, ast.expr, report);

type Report = Parameters<AstValidator>[1];

function check(ast: CheckedAst, expr: Expr, report: Report): void {
  if (expr.kind === "call" && isFormat(ast, expr)) checkFormat(ast, expr, report);
  for (const child of children(expr)) check(ast, child, report);
}

function isFormat({ references }: CheckedAst, { id, function: name, target }: Call): boolean {
  const reference = references.get(id);
  return name === "format" && target !== undefined && reference?.kind === "function" && reference.overloads.includes("string_format");
}

/** Only the first problem of a call is reported. */
function checkFormat(ast: CheckedAst, { id, target, args: [list] }: Call, report: Report): void {
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return;
  let used = 0;
  for (const [clause] of target.value.matchAll(clauses)) {
    if (clause === "%%") continue;
    const arg = list.elements[used];
    const verb = readVerb(clause, arg === undefined ? `index ${used} out of range` : undefined, (problem) => report(id, problem));
    if (verb === undefined || arg === undefined) return;
    const bad = mismatch(ast, verb, arg);
    if (bad !== undefined) {
      report(bad.id, typeProblem(verb, typeOf(ast, bad)));
      return;
    }
    used++;
  }
  if (list.elements.length > used) {
    report(id, `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`);
  }
}

/** A clause that is cut off counts before a missing argument, and that before all else. */
function readVerb(clause: string, missing: string | undefined, report: (problem: string) => void): Verb | undefined {
  if (missing !== undefined && clause !== "%") return void report(missing);
  try {
    return parseClause(clause).verb;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return void report(error.message);
  }
}

const allowed: Readonly<Record<Verb, readonly CelType["kind"][]>> = {
  s: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  o: ["int", "uint"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
};

/** The expression that the clause is no good for: the argument, or what is in it. */
function mismatch(ast: CheckedAst, verb: Verb, arg: Expr): Expr | undefined {
  const { kind } = typeOf(ast, arg);
  if (kind !== "dyn" && !allowed[verb].includes(kind)) return arg;
  if (verb !== "s" || (arg.kind !== "list" && arg.kind !== "map")) return undefined;
  for (const part of children(arg)) {
    const bad = mismatch(ast, verb, part);
    if (bad !== undefined) return bad;
  }
  return undefined;
}

const typeOf = ({ types }: CheckedAst, { id }: Expr): CelType => types.get(id) ?? dynType;
