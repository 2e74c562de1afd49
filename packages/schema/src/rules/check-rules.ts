/** The rules of a schema as a CustomResourceDefinition is accepted: whether they compile, what they cost, whether defaults keep to them. */
import type { FieldError } from "@coxswain/machinery";
import type { CheckedRule, DefaultRules, RuleChecker } from "../check/rule-checker.ts";
import { propertyOf } from "../structural/field-path.ts";
import { type CompiledRule, RuleCompiler } from "./compile-rule.ts";
import { maxOccurrences } from "./declared-type.ts";
import { RuleTrees } from "./rule-tree.ts";
import { never, newBudget, run } from "./validate-rules.ts";

/** For one definition: what its schemas declare is kept, and its defaults share a budget. */
export function ruleChecks(): { readonly check: RuleChecker; readonly onDefault: DefaultRules } {
  const compiler = new RuleCompiler();
  const trees = new RuleTrees(compiler);
  const budget = newBudget();
  return {
    check: (schema, { resource }) => {
      const times = maxOccurrences(compiler.declarations.of(schema, resource));
      return compiler.compile(schema, resource)?.map((rule) => checkedRule(rule, times)) ?? unknownType;
    },
    onDefault: (schema, value, path, { resource }) => {
      const tree = trees.of(schema, resource);
      if (tree === undefined || budget.left < 0) return [];
      const runAs = (old: unknown): FieldError[] =>
        run(tree, { value, old, path: propertyOf(undefined, path), unchanged: never, budget }).errors;
      const unchanged = runAs(value);
      return unchanged.length > 0 ? unchanged : runAs(undefined);
    },
  };
}

const unknownType =
  "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

function checkedRule({ error, messageError, usesOldSelf, cost, messageCost }: CompiledRule, times: number): CheckedRule {
  return {
    cost,
    usesOldSelf,
    maxOccurrences: times,
    ...(error === undefined ? {} : { error: { missing: false, detail: error } }),
    ...(messageError === undefined ? {} : { messageExpressionError: messageError }),
    ...(messageCost === undefined ? {} : { messageExpressionCost: messageCost }),
  };
}
