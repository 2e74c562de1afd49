/**
 * Compiles the expressions of admission hooks and policies when they are written. What they may cost is not estimated:
 * it is limited when they run.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#validation-expression
 */

import * as cel from "@coxswain/cel";
import { field } from "@coxswain/machinery";
import type { Errors } from "../checks.ts";
import { namespaceType, patchTypes, requestType, requestTypes } from "./expression-types.ts";

/** Compiles the expressions of one policy or webhook, its variables before what uses them. */
export interface ExpressionCompiler {
  /** Adds what is wrong with an expression for `use`. */
  check(out: Errors, path: string, expression: string | ShownExpression, use: ExpressionUse): void;
  /** The same for a variable, which the expressions checked after it may use. */
  declare(out: Errors, path: string, name: string, expression: string): void;
  /** An expression that can be evaluated, or what is wrong with it. */
  compile(expression: string, use: ExpressionUse): CompiledExpression;
  /** The same for a variable, which the expressions compiled after it may use, be it wrong or not. */
  compileVariable(name: string, expression: string): CompiledExpression;
}

/** What compiling an expression of a policy or a webhook came to. */
export type CompiledExpression =
  | { readonly ok: true; readonly program: cel.Program; readonly type: cel.CelType }
  | { readonly ok: false; readonly problem: string; readonly type: "invalid" | "internal" };

/** An expression that its error shows as it was written, before it was trimmed. */
export interface ShownExpression {
  readonly text: string;
  readonly shown: string;
}

/** What an expression is for, which decides what it may use and what it must evaluate to. */
export type ExpressionUse = "condition" | "message" | "auditAnnotation" | "applyConfiguration" | "jsonPatch";

/** Which variables there are beside those of every request. */
export interface ExpressionScope {
  /** Whether there is `params`. */
  readonly params: boolean;
  /** Whether there is `variables`. */
  readonly variables: boolean;
}

const results: Readonly<Record<ExpressionUse, readonly cel.CelType[]>> = {
  condition: [cel.boolType],
  message: [cel.stringType],
  auditAnnotation: [cel.stringType, cel.nullType],
  applyConfiguration: [cel.objectType("Object")],
  jsonPatch: [cel.listOf(cel.jsonPatchType)],
};

export function createExpressionCompiler(scope: ExpressionScope): ExpressionCompiler {
  const variables = new Map<string, cel.CelType>();
  const environments = new Map<string, cel.Environment>();
  const compile = (expression: string, use: ExpressionUse | "variable"): CompiledExpression => {
    const language = environments.get(use) ?? environment(scope, variables, use);
    environments.set(use, language);
    const compilation = language.compile(expression);
    if (!compilation.ok) return { ok: false, type: "invalid", problem: `compilation failed: ${compilation.message}` };
    const problem = use === "variable" ? undefined : resultProblem(compilation.compiled.type, results[use]);
    return problem === undefined ? instantiate(compilation.compiled) : { ok: false, type: "invalid", problem };
  };
  const compileVariable = (name: string, expression: string): CompiledExpression => {
    const compiled = compile(expression, "variable");
    variables.set(name, compiled.ok ? variableType(compiled.type) : cel.dynType);
    return compiled;
  };
  return {
    check: (out, path, expression, use) => {
      const { text, shown } = typeof expression === "string" ? { text: expression, shown: expression } : expression;
      report(out, path, shown, compile(text, use));
    },
    declare: (out, path, name, expression) => report(out, path, expression, compileVariable(name, expression)),
    compile,
    compileVariable,
  };
}

function report(out: Errors, path: string, shown: string, compiled: CompiledExpression): void {
  if (compiled.ok) return;
  out.push(compiled.type === "invalid" ? field.invalid(path, shown, compiled.problem) : field.internal(path, compiled.problem));
}

export const variablesType = "kubernetes.variables";

/** What is in `variables` later is seen, too. */
function environment(
  { params, variables: composed }: ExpressionScope,
  variables: ReadonlyMap<string, cel.CelType>,
  use: ExpressionUse | "variable",
): cel.Environment {
  const patches = use === "applyConfiguration" || use === "jsonPatch";
  const providers = patches ? [patchTypes, requestTypes] : [requestTypes];
  return cel.createEnvironment({
    variables: new Map<string, cel.CelType>([
      ["object", cel.dynType],
      ["oldObject", cel.dynType],
      ["namespaceObject", namespaceType],
      ["request", requestType],
      ...(params ? [["params", cel.dynType] as const] : []),
      ...(use === "message" ? [] : authorizers),
      ...(composed ? [["variables", cel.objectType(variablesType)] as const] : []),
    ]),
    libraries: patches ? [...cel.kubernetesLibraries, cel.jsonPatch] : cel.kubernetesLibraries,
    types: {
      hasType: (name) => (composed && name === variablesType) || providers.some((types) => types.hasType(name)),
      fieldType: (name, member) =>
        name === variablesType ? variables.get(member) : providers.find((types) => types.hasType(name))?.fieldType(name, member),
      ...(patches ? { create: patchTypes.create } : {}),
    },
  });
}

const authorizers: readonly (readonly [string, cel.CelType])[] = [
  ["authorizer", cel.authorizerType],
  ["authorizer.requestResource", cel.resourceCheckType],
];

function resultProblem(type: cel.CelType, wanted: readonly cel.CelType[]): string | undefined {
  if (wanted.some((each) => cel.sameType(each, type))) return undefined;
  const names = wanted.map(cel.showResultType);
  const what = names.length === 1 ? names.join() : `one of [${names.join(" ")}]`;
  return `must evaluate to ${what} but got ${cel.showResultType(type)}`;
}

/** Constants may be such as cannot be: `int('x')`. */
function instantiate(compiled: cel.Compiled): CompiledExpression {
  try {
    return { ok: true, program: compiled.program(), type: compiled.type };
  } catch (error) {
    if (!(error instanceof cel.CelError)) throw error;
    return { ok: false, type: "internal", problem: `program instantiation failed: ${error.message}` };
  }
}

/** Variables of variables may nest without end, and whoever asks for their types walks through all of it. */
const deepestType = 100;

/** As what other expressions see a variable: of types that libraries make nothing is known any more. */
export function variableType(type: cel.CelType, depth = 0): cel.CelType {
  if (depth > deepestType) return cel.dynType;
  switch (type.kind) {
    case "list":
      return cel.listOf(variableType(type.item, depth + 1));
    case "map":
      return cel.mapOf(variableType(type.key, depth + 1), variableType(type.value, depth + 1));
    case "object":
    case "opaque":
    case "wrapper":
    case "type":
    case "param":
    case "error":
      return cel.dynType;
    default:
      return type;
  }
}
