import { field } from "@coxswain/machinery";
import type { MutatingAdmissionPolicy, Mutation } from "@coxswain/types/admissionregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import type { ExpressionCompiler } from "../../../validation/admissionregistration/expressions.ts";
import { expressions } from "../../../validation/admissionregistration/lazy-expressions.ts";
import { validatePolicySpec } from "../../../validation/admissionregistration/policy.ts";
import { reservedNameWarnings } from "../../../validation/admissionregistration/reserved-names.ts";
import { defaultMatchResources, reinvocationPolicies } from "../../../validation/admissionregistration/rules.ts";
import { type Errors, requiredOneOf } from "../../../validation/checks.ts";
import { mutatingAdmissionPolicyColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ */
export const mutatingAdmissionPolicy = defineKind<MutatingAdmissionPolicy>({
  type: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy",
  metadataPasses: ["whole"],
  finalizers: "any",
  allowUnconditionalUpdate: false,
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  validate: ({ spec = {} }, prev) => {
    const out: Errors = [];
    const compiler = expressions().createExpressionCompiler({ params: spec.paramKind !== undefined, variables: true });
    validatePolicySpec(out, "spec", spec, { compiler, prev: prev?.spec, operations: "noDeletions" });
    const { mutations = [] } = spec;
    if (mutations.length === 0) out.push(field.required("spec.mutations", "mutations must contain at least one item"));
    for (const [i, mutation] of mutations.entries()) validateMutation(out, `spec.mutations[${i}]`, mutation, compiler);
    requiredOneOf(out, "spec.reinvocationPolicy", spec.reinvocationPolicy, reinvocationPolicies);
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  columns: mutatingAdmissionPolicyColumns,
});

/** The field that belongs to each type of patch, and the one that does not. */
const patchFields = { ApplyConfiguration: ["applyConfiguration", "jsonPatch"], JSONPatch: ["jsonPatch", "applyConfiguration"] } as const;

function validateMutation(out: Errors, path: string, mutation: Readonly<Mutation>, compiler: ExpressionCompiler): void {
  const { patchType } = mutation;
  requiredOneOf(out, `${path}.patchType`, patchType, Object.keys(patchFields));
  if (patchType !== "ApplyConfiguration" && patchType !== "JSONPatch") return;
  const [name, other] = patchFields[patchType];
  const patch = mutation[name];
  const expression = patch?.expression?.trim() ?? "";
  if (!patch) out.push(field.required(`${path}.${name}`, `must be specified when patchType is ${patchType}`));
  else if (expression === "") out.push(field.required(`${path}.${name}.expression`));
  else compiler.check(out, `${path}.${name}.expression`, expression, name);
  if (mutation[other]) out.push(field.invalid(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`));
}
