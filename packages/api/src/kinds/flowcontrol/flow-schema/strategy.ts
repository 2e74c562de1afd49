import { compareBytes, deepEqual, field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { FlowSchema } from "@coxswain/types/flowcontrol-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { validateConditionTypes } from "../../../validation/flow-control-conditions.ts";
import { fixedFlowSpec } from "../mandatory.ts";
import { flowSchemaColumns } from "./columns.ts";
import { flowSchemaSubresources } from "./subresources.ts";
import { validateFlowRules } from "./validation.ts";

const defaultPrecedence = 1000;
const maxPrecedence = 10_000;

/** @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/ */
export const flowSchema = defineKind<FlowSchema>({
  type: "io.k8s.api.flowcontrol.v1.FlowSchema",
  metadataPasses: ["whole"],
  defaults({ spec }) {
    if (spec !== undefined) spec.matchingPrecedence ||= defaultPrecedence;
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  validate: ({ metadata, spec, status }) => {
    const out: Errors = [];
    validatePrecedence(out, "spec.matchingPrecedence", spec?.matchingPrecedence ?? 0, metadata?.name);
    const method = spec?.distinguisherMethod;
    const methods = ["ByNamespace", "ByUser"];
    if (method !== undefined && !methods.includes(method.type)) {
      out.push(field.notSupported("spec.distinguisherMethod.type", { Type: method.type }, methods));
    }
    const level = spec?.priorityLevelConfiguration?.name;
    const path = "spec.priorityLevelConfiguration.name";
    if (level) addInvalid(out, path, level, validateDns1123Subdomain(level));
    else out.push(field.required(path, "must reference a priority level"));
    for (const [i, rules] of (spec?.rules ?? []).entries()) validateFlowRules(out, `spec.rules[${i}]`, rules);
    const fixed = fixedFlowSpec(metadata?.name ?? "");
    if (fixed && !deepEqual(spec, fixed)) {
      out.push(field.invalid("spec", spec, `spec of '${metadata?.name}' must equal the fixed value`));
    }
    validateConditionTypes(out, status?.conditions ?? []);
    return out;
  },
  subresources: flowSchemaSubresources,
  columns: flowSchemaColumns,
  // In which requests are matched.
  compareRows: (one, other) =>
    (one.spec?.matchingPrecedence ?? 0) - (other.spec?.matchingPrecedence ?? 0) ||
    compareBytes(one.metadata?.name ?? "", other.metadata?.name ?? ""),
});

function validatePrecedence(out: Errors, path: string, precedence: number, name: string | undefined): void {
  if (precedence <= 0) out.push(field.invalid(path, precedence, "must be a positive value"));
  if (precedence > maxPrecedence) out.push(field.invalid(path, precedence, `must not be greater than ${maxPrecedence}`));
  if (precedence === 1 && name !== "exempt") {
    out.push(field.invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
}
