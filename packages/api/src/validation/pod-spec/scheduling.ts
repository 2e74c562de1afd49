/** Tolerations, spreading and gates: what the scheduler heeds beside affinity. */
import { field, validateLabelValue, validateQualifiedName } from "@coxswain/machinery";
import type { PodReadinessGate, PodSchedulingGate, Toleration, TopologySpreadConstraint } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, oneOf } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { validateLabelKey } from "../metadata/parts.ts";
import { ratchet } from "../ratcheting.ts";
import { validateLabelKeys } from "./match-label-keys.ts";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Of Pods and of what is added to them; what is wrong is added to `out`. */
export function validateTolerations(out: Errors, path: string, tolerations: readonly Toleration[] | undefined): void {
  tolerations?.forEach((toleration, i) => {
    validateToleration(out, `${path}[${i}]`, toleration);
  });
}

function validateToleration(out: Errors, path: string, toleration: Toleration): void {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const at = `${path}.operator`;
  if (key !== "") validateLabelKey(out, key, `${path}.key`);
  else if (operator !== "Exists") {
    out.push(field.invalid(at, operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    out.push(field.invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === "" || operator === "Equal") {
    const problems = validateLabelValue(value);
    if (problems.length > 0) out.push(field.invalid(at, value, problems.join(";")));
  } else if (operator === "Exists") {
    if (value !== "") out.push(field.invalid(at, value, "value must be empty when `operator` is 'Exists'"));
  } else {
    // Comparisons need a feature that is off by default, and yet the message names them to who tries them.
    const compares = operator === "Lt" || operator === "Gt";
    out.push(field.notSupported(at, operator, compares ? ["Equal", "Exists", "Lt", "Gt"] : ["Equal", "Exists"]));
  }
  if (effect !== "") oneOf(out, `${path}.effect`, effect, taintEffects);
}

export function validateSpreadConstraints(out: Errors, path: string, constraints: readonly TopologySpreadConstraint[] | undefined): void {
  constraints?.forEach((constraint, i) => {
    const { topologyKey, whenUnsatisfiable, matchLabelKeys = [], labelSelector } = constraint;
    const at = `${path}[${i}]`;
    if (constraint.maxSkew <= 0) out.push(field.invalid(`${at}.maxSkew`, constraint.maxSkew, "must be greater than zero"));
    if (!topologyKey) out.push(field.required(`${at}.topologyKey`, "can not be empty"));
    oneOf(out, `${at}.whenUnsatisfiable`, whenUnsatisfiable ?? "", ["DoNotSchedule", "ScheduleAnyway"]);
    const repeated = constraints.slice(i + 1).some((c) => c.topologyKey === topologyKey && c.whenUnsatisfiable === whenUnsatisfiable);
    if (repeated) out.push(field.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    validateMinDomains(out, `${at}.minDomains`, constraint);
    oneOf(out, `${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ["Honor", "Ignore"]);
    oneOf(out, `${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ["Honor", "Ignore"]);
    ratchet(out, "spread label keys", () => validateLabelKeys(out, at, matchLabelKeys, labelSelector));
    ratchet(out, "spread selector", () => validateLabelSelector(out, `${at}.labelSelector`, labelSelector));
  });
}

function validateMinDomains(out: Errors, path: string, { minDomains, whenUnsatisfiable }: TopologySpreadConstraint): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) out.push(field.invalid(path, minDomains, "must be greater than zero"));
  if (whenUnsatisfiable !== "DoNotSchedule") {
    out.push(field.invalid(path, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`));
  }
}

export function validateSchedulingGates(out: Errors, path: string, gates: readonly PodSchedulingGate[] | undefined): void {
  const seen = new Set<string>();
  gates?.forEach(({ name }, i) => {
    addInvalid(out, `${path}[${i}]`, name, validateQualifiedName(name));
    if (seen.has(name)) out.push(field.duplicate(`${path}[${i}]`, name));
    seen.add(name);
  });
}

export function validateReadinessGates(out: Errors, path: string, gates: readonly PodReadinessGate[] | undefined): void {
  gates?.forEach(({ conditionType }, i) => {
    addInvalid(out, `${path}[${i}].conditionType`, conditionType, validateQualifiedName(conditionType));
  });
}
