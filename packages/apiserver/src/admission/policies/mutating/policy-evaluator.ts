/** The expressions of a MutatingAdmissionPolicy, compiled once. */
import { admissionExpressions, type admissionregistrationV1 } from "@coxswain/api";
import type { Expression, NamedExpressions } from "../../cel/evaluate.ts";
import { compileMatchConditions, type MatchConditions } from "../../cel/match-conditions.ts";
import type { Policy } from "../policy-hooks.ts";
import { compileVariables } from "../policy-variables.ts";

export interface MutatingPolicy extends Policy {
  readonly spec: Policy["spec"] & {
    readonly mutations?: readonly admissionregistrationV1.Mutation[];
    readonly reinvocationPolicy?: string;
  };
}

export interface CompiledMutation {
  readonly type: "applyConfiguration" | "jsonPatch";
  readonly expression: Expression;
}

export interface MutationEvaluator {
  readonly variables: NamedExpressions;
  readonly matchConditions: MatchConditions;
  readonly mutations: readonly CompiledMutation[];
}

/** Expressions must be loaded by now. */
export function compileMutatingPolicy({ spec }: Readonly<MutatingPolicy>): MutationEvaluator {
  const compiler = admissionExpressions().createExpressionCompiler({ params: spec.paramKind !== undefined, variables: true });
  const variables = compileVariables(compiler, spec.variables ?? []);
  const { failurePolicy } = spec;
  return {
    variables,
    matchConditions: compileMatchConditions(spec.matchConditions ?? [], { compiler, failurePolicy, variables }),
    mutations: (spec.mutations ?? []).map(({ patchType, jsonPatch, applyConfiguration }) => {
      const type = patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration";
      const text = ((type === "jsonPatch" ? jsonPatch : applyConfiguration)?.expression ?? "").trim();
      return { type, expression: { text, compiled: compiler.compile(text, type) } };
    }),
  };
}
