/** The rules of a schema as a CustomResourceDefinition is accepted: whether they compile, what they cost, whether defaults keep to them. */
import type { CheckedRule, DefaultRules, RuleChecker } from "../check/rule-checker.ts";
import { type CompiledRule, RuleCompiler } from "./compile-rule.ts";
import { maxOccurrences } from "./declared-type.ts";
import { compileRules } from "./validate-rules.ts";

/** For one definition: what its schemas declare is kept. */
export function ruleChecks(): { readonly check: RuleChecker; readonly onDefault: DefaultRules } {
  const compiler = new RuleCompiler();
  return {
    check: (schema, { resource }) => {
      const declared = compiler.declarations.of(schema, resource);
      if (declared === undefined) return unknownType;
      const times = maxOccurrences(declared);
      return compiler.compile(schema, declared).map((rule) => checkedRule(rule, times));
    },
    onDefault: (schema, value, path, options) => {
      const rules = compileRules(schema, options);
      if (rules === undefined) return [];
      const unchanged = rules.validateStrictly(value, value, path);
      return unchanged.length > 0 ? unchanged : rules.validateStrictly(value, undefined, path);
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
