/** Environments, and the way from a text to what can be evaluated. */

import { check } from "../check/checker.ts";
import { type Declarations, mergeLibraries } from "../environment/declarations.ts";
import type {
  Bindings,
  Compilation,
  Environment,
  EnvironmentOptions,
  EvaluateOptions,
  Evaluation,
  Program,
} from "../environment/environment.ts";
import { Frame, run } from "../evaluate/frame.ts";
import { Planner } from "../evaluate/planner.ts";
import { standard } from "../standard/index.ts";
import { homogeneousLiterals } from "../standard/validators.ts";
import type { CheckedAst } from "../syntax/ast.ts";
import { parse } from "../syntax/parser.ts";
import { createSource, type Issue, maxReportedErrors, nowhere, type Source } from "../syntax/source.ts";
import { dynType } from "../types/type.ts";

/**
 * Makes an environment of the standard library and the libraries in the options. A library may add overloads to the functions
 * of those before it; of two constants, macros or overload ids of the same name, the later one is used. Limits and features that
 * the options leave out have the values that `Limits` and `Features` name: cel-go's, as Kubernetes configures it.
 * Throws nothing: what is wrong with an expression is in the result of `compile`.
 */
export function createEnvironment(options: EnvironmentOptions): Environment {
  const merged = mergeLibraries([standard, ...options.libraries]);
  const features = { escapedFields: false, mixedLiterals: false, checks: true, presenceTestCost: 0 as const, ...options.features };
  return environmentOf({
    ...merged,
    validators: features.mixedLiterals ? merged.validators : [...merged.validators, homogeneousLiterals],
    container: options.container ?? "",
    limits: { sourceLength: 100_000, nesting: 250, nodes: 250_000, ...options.limits },
    features,
    types: options.types ?? { hasType: () => false, fieldType: () => undefined },
    variables: options.variables,
  });
}

function environmentOf(declarations: Declarations): Environment {
  return {
    compile: (text) => compile(text, declarations),
    extend: (variables) => environmentOf({ ...declarations, variables: new Map([...declarations.variables, ...variables]) }),
  };
}

function compile(text: string, declarations: Declarations): Compilation {
  const source = createSource(text);
  const { macros, limits, features } = declarations;
  const { expr, context } = parse(source, { macros, limits, escapedFields: features.escapedFields });
  if (context.issues.length > 0) return failure(source, context.issues);
  if (!features.checks)
    return success(text, { expr, types: new Map(), references: new Map(), macroCalls: context.macroCalls }, declarations);
  const issues: Issue[] = [];
  const report = (exprId: number, message: string) => {
    const position = issues.length < maxReportedErrors ? source.locate(context.positions.get(exprId) ?? 0) : nowhere;
    issues.push({ ...position, message, exprId });
  };
  const ast = check(expr, context.macroCalls, declarations, report);
  if (issues.length === 0) for (const validate of declarations.validators) validate(ast, report);
  if (issues.length > 0) return failure(source, issues);
  return success(text, ast, declarations);
}

function success(source: string, ast: CheckedAst, declarations: Declarations): Compilation {
  const type = ast.types.get(ast.expr.id) ?? dynType;
  return { ok: true, compiled: { ...ast, source, type, program: () => createProgram(ast, declarations) } };
}

const failure = (source: Source, issues: readonly Issue[]): Compilation => ({ ok: false, issues, message: source.show(issues) });

function createProgram(ast: CheckedAst, declarations: Declarations): Program {
  const planner = new Planner(ast, declarations);
  const evaluate = run(planner.plan(ast.expr));
  const variables = [...planner.variables];
  const { slots } = planner;
  return {
    evaluate: (bindings: Bindings, { costLimit = Infinity, now = 0, meter }: EvaluateOptions = {}): Evaluation => {
      const frame = new Frame(new Array(slots).fill(undefined), costLimit, now);
      for (const [name, slot] of variables) frame.slots[slot] = bindings.get(name);
      try {
        return { value: evaluate(frame), cost: frame.cost };
      } finally {
        if (meter !== undefined) meter.cost = frame.cost;
      }
    },
  };
}
