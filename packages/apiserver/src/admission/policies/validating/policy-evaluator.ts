/** The expressions of a ValidatingAdmissionPolicy, compiled once. */
import { admissionExpressions, type admissionregistrationV1, type ExpressionCompiler } from "@coxswain/api";
import type { Expression, NamedExpressions } from "../../cel/evaluate.ts";
import { compileMatchConditions, type MatchConditions } from "../../cel/match-conditions.ts";
import type { Policy } from "../policy-hooks.ts";
import { compileVariables } from "../policy-variables.ts";

export interface ValidatingPolicy extends Policy {
  readonly spec: Policy["spec"] & {
    readonly validations?: readonly admissionregistrationV1.Validation[];
    readonly auditAnnotations?: readonly admissionregistrationV1.AuditAnnotation[];
  };
}

export interface CompiledValidation {
  readonly given: admissionregistrationV1.Validation;
  readonly expression: Expression;
  readonly message: Expression | undefined;
}

export interface CompiledAuditAnnotation {
  readonly key: string;
  readonly value: Expression;
}

export interface PolicyEvaluator {
  readonly variables: NamedExpressions;
  readonly matchConditions: MatchConditions;
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly CompiledAuditAnnotation[];
}

/** Expressions must be loaded by now. */
export function compilePolicy({ spec }: Readonly<ValidatingPolicy>): PolicyEvaluator {
  const compiler = admissionExpressions().createExpressionCompiler({
    params: spec.paramKind !== undefined,
    variables: true,
  });
  const variables = compileVariables(compiler, spec.variables ?? []);
  const { failurePolicy } = spec;
  return {
    variables,
    matchConditions: compileMatchConditions(spec.matchConditions ?? [], { compiler, failurePolicy, variables }),
    validations: (spec.validations ?? []).map((given) => compileValidation(compiler, given)),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression: text = "" }) => ({
      key,
      value: { text, compiled: compiler.compile(text, "auditAnnotation") },
    })),
  };
}

function compileValidation(compiler: ExpressionCompiler, given: admissionregistrationV1.Validation): CompiledValidation {
  const { expression: text = "", messageExpression } = given;
  return {
    given,
    expression: { text, compiled: compiler.compile(text, "condition") },
    message: messageExpression ? { text: messageExpression, compiled: compiler.compile(messageExpression, "message") } : undefined,
  };
}
