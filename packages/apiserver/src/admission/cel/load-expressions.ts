/** Expressions are loaded when something first evaluates one: a server without policies and match conditions does not have them in memory. */
import { admissionExpressions, type ExpressionScope, loadDynamic } from "@coxswain/api";
import type { GivenMatchCondition, MatchConditions } from "./match-conditions.ts";

/** Match conditions that are compiled when they are first evaluated. */
export function lazyMatchConditions(
  given: readonly GivenMatchCondition[],
  options: { readonly failurePolicy: string | undefined },
): MatchConditions {
  let compiled: Promise<MatchConditions> | undefined;
  return {
    evaluate: async (inputs) => {
      compiled ??= compileLater(given, options.failurePolicy);
      return (await compiled).evaluate(inputs);
    },
  };
}

const scope: ExpressionScope = { params: false, variables: false };

async function compileLater(given: readonly GivenMatchCondition[], failurePolicy: string | undefined): Promise<MatchConditions> {
  const [{ compileMatchConditions }] = await Promise.all([import("./match-conditions.ts"), loadDynamic()]);
  return compileMatchConditions(given, { compiler: admissionExpressions().createExpressionCompiler(scope), failurePolicy });
}
