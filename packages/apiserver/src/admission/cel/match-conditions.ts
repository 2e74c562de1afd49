/**
 * The matchConditions of webhooks and policies.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
import type { ExpressionCompiler } from "@coxswain/api";
import { conditionsCostBudget, Evaluation, type Expression, type NamedExpressions, OutOfBudget } from "./evaluate.ts";
import { type ExpressionInputs, variablesOf } from "./expression-inputs.ts";

/** As configurations and policies have them. */
export interface GivenMatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** What conditions say of a request: an error where none of them is false, some could not be evaluated, and the failure policy is Fail. */
export type MatchOutcome =
  | { readonly type: "matches" }
  | { readonly type: "skips" /** The first that is false; undefined where errors are ignored. */; readonly condition: string | undefined }
  | { readonly type: "error"; readonly message: string };

export interface MatchConditions {
  /** What is evaluated sees neither the namespace nor, of webhooks, parameters. */
  evaluate(inputs: ExpressionInputs): Promise<MatchOutcome>;
}

export interface MatchConditionOptions {
  readonly compiler: ExpressionCompiler;
  readonly failurePolicy: string | undefined;
  /** Of a policy. */
  readonly variables?: NamedExpressions;
}

const matches: MatchOutcome = { type: "matches" };
const noVariables: NamedExpressions = new Map();

/** Compiles them once. */
export function compileMatchConditions(given: readonly GivenMatchCondition[], options: MatchConditionOptions): MatchConditions {
  const { compiler, failurePolicy, variables = noVariables } = options;
  const conditions = given.map(({ name, expression }) => ({ name, text: expression, compiled: compiler.compile(expression, "condition") }));
  const failed = (message: string): MatchOutcome =>
    failurePolicy === "Ignore" ? { type: "skips", condition: undefined } : { type: "error", message };
  return {
    evaluate: async (inputs) => {
      if (conditions.length === 0) return matches;
      const bindings = variablesOf({ ...inputs, namespace: undefined });
      const evaluation = new Evaluation(bindings, variables, conditionsCostBudget);
      try {
        return await evaluateAll(evaluation, conditions, failed);
      } catch (error) {
        if (!(error instanceof OutOfBudget)) throw error;
        return failed(error.message);
      }
    },
  };
}

type NamedCondition = Expression & { readonly name: string };

/** All of them are evaluated, whatever the first say: they may run out of what they may cost. */
async function evaluateAll(
  evaluation: Evaluation,
  conditions: readonly NamedCondition[],
  failed: (message: string) => MatchOutcome,
): Promise<MatchOutcome> {
  const errors = new Set<string>();
  let skips: MatchOutcome | undefined;
  for (const condition of conditions) {
    const evaluated = await evaluation.evaluate(condition);
    if (!evaluated.ok) errors.add(evaluated.message);
    else if (evaluated.value === false) skips ??= { type: "skips", condition: condition.name };
  }
  if (skips !== undefined) return skips;
  if (errors.size === 0) return matches;
  const [first = ""] = errors;
  return failed(errors.size === 1 ? first : `[${[...errors].join(", ")}]`);
}
