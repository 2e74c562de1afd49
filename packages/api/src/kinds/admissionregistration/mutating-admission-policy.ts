import { field } from "@coxswain/machinery";
import { ageCell } from "../../age.ts";
import { defineKind } from "../../kind.ts";
import { type Errors, requiredOneOf } from "../../pod/checks.ts";
import type { MutatingAdmissionPolicy, Mutation } from "../../types/admissionregistration-v1.ts";
import { paramKindCell, validatePolicySpec } from "./policy.ts";
import { reservedNameWarnings } from "./reserved-names.ts";
import { defaultMatchResources, refuseDeletions, reinvocationPolicies } from "./rules.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ */
export const mutatingAdmissionPolicy = defineKind<MutatingAdmissionPolicy>({
  type: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy",
  finalizers: "any",
  unconditionalUpdate: false,
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  validate: ({ spec = {} }) => {
    const out: Errors = [];
    validatePolicySpec(out, "spec", spec);
    refuseDeletions(out, "spec.matchConstraints", spec.matchConstraints);
    const { mutations = [] } = spec;
    if (mutations.length === 0) out.push(field.required("spec.mutations", "mutations must contain at least one item"));
    for (const [i, mutation] of mutations.entries()) validateMutation(out, `spec.mutations[${i}]`, mutation);
    requiredOneOf(out, "spec.reinvocationPolicy", spec.reinvocationPolicy, reinvocationPolicies);
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  cells: ({ metadata, spec }, now) => [
    metadata?.name ?? "",
    spec?.mutations?.length ?? 0,
    paramKindCell(spec?.paramKind),
    ageCell(metadata?.creationTimestamp, now),
  ],
});

/** The field that belongs to each type of patch. */
const patchFields = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

function validateMutation(out: Errors, path: string, mutation: Readonly<Mutation>): void {
  const { patchType } = mutation;
  requiredOneOf(out, `${path}.patchType`, patchType, Object.keys(patchFields));
  if (patchType !== "ApplyConfiguration" && patchType !== "JSONPatch") return;
  for (const [type, name] of Object.entries(patchFields)) {
    const present = mutation[name] !== undefined;
    if (type === patchType && !present) out.push(field.required(`${path}.${name}`, `must be specified when patchType is ${patchType}`));
    if (type !== patchType && present) {
      out.push(field.invalid(`${path}.${name}`, `{${name}}`, `must not be specified when patchType is ${patchType}`));
    }
  }
}
