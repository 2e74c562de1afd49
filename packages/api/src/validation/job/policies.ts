/** Which failures of pods count for a job, and when it has succeeded early. */
import { field, goQuote, validateQualifiedName } from "@coxswain/machinery";
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicy,
  SuccessPolicyRule,
} from "@coxswain/types/batch-v1";
import { addInvalid, type Errors, isSet, nonNegative, oneOf } from "../checks.ts";
import { countIndexes } from "./indexes.ts";

const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const maxIndexesLength = 64 * 1024;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const statuses = ["False", "True", "Unknown"];

/** As Go's %q shows a list. */
const validValues = (values: readonly string[]): string => `valid values: [${values.map(goQuote).join(" ")}]`;

export function validateFailurePolicy(out: Errors, path: string, { rules }: Readonly<PodFailurePolicy>, spec: Readonly<JobSpec>): void {
  const containers = [...(spec.template?.spec?.containers ?? []), ...(spec.template?.spec?.initContainers ?? [])];
  const names = new Set(containers.map((c) => c.name));
  const count = rules?.length ?? 0;
  if (count > maxRules) out.push(field.tooMany(`${path}.rules`, count, maxRules));
  rules?.forEach((rule, i) => {
    validateFailureRule(out, `${path}.rules[${i}]`, rule, { names, perIndex: isSet(spec.backoffLimitPerIndex) });
  });
}

interface FailureContext {
  readonly names: ReadonlySet<string>;
  readonly perIndex: boolean;
}

function validateFailureRule(out: Errors, path: string, rule: PodFailurePolicyRule, { names, perIndex }: FailureContext): void {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  if (!action) out.push(field.required(`${path}.action`, validValues(actions)));
  else if (action !== "FailIndex") oneOf(out, `${path}.action`, action, actions);
  else if (!perIndex) out.push(field.invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set"));
  if (onExitCodes) validateExitCodes(out, `${path}.onExitCodes`, onExitCodes, names);
  if (onPodConditions.length > 0) validatePatterns(out, `${path}.onPodConditions`, onPodConditions);
  if (onExitCodes && onPodConditions.length > 0) {
    out.push(withoutValue(path, "specifying both OnExitCodes and OnPodConditions is not supported"));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    out.push(withoutValue(path, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

/** An error whose message leaves the value out. */
export const withoutValue = (path: string, detail: string) => ({
  ...field.invalid(path, "", detail),
  message: `Invalid value: ${detail}`,
});

function validatePatterns(out: Errors, path: string, patterns: readonly PodFailurePolicyOnPodConditionsPattern[]): void {
  if (patterns.length > maxPatterns) out.push(field.tooMany(path, patterns.length, maxPatterns));
  patterns.forEach(({ type, status }, i) => {
    addInvalid(out, `${path}[${i}].type`, type, validateQualifiedName(type));
    if (!status) out.push(field.required(`${path}[${i}].status`, validValues(statuses)));
    else oneOf(out, `${path}[${i}].status`, status, statuses);
  });
}

function validateExitCodes(
  out: Errors,
  path: string,
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
): void {
  const at = `${path}.values`;
  const codes = values ?? [];
  if (!operator) out.push(field.required(`${path}.operator`, validValues(["In", "NotIn"])));
  else oneOf(out, `${path}.operator`, operator, ["In", "NotIn"]);
  if (isSet(containerName) && !names.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    out.push(field.invalid(`${path}.containerName`, containerName, detail));
  }
  if (codes.length === 0) out.push(field.invalid(at, codes, "at least one value is required"));
  else if (codes.length > maxExitCodes) out.push(field.tooMany(at, codes.length, maxExitCodes));
  codes.forEach((code, i) => {
    if (operator === "In" && code === 0) out.push(field.invalid(`${at}[${i}]`, code, "must not be 0 for the In operator"));
    if (codes.indexOf(code) < i) out.push(field.duplicate(`${at}[${i}]`, code));
  });
  if (codes.some((code, i) => i > 0 && (codes[i - 1] ?? code) > code)) out.push(field.invalid(at, codes, "must be ordered"));
}

export function validateSuccessPolicy(out: Errors, path: string, policy: Readonly<SuccessPolicy>, spec: Readonly<JobSpec>): void {
  if (spec.completionMode !== "Indexed") return void out.push(field.invalid(path, policy, "requires indexed completion mode"));
  const rules = policy.rules ?? [];
  if (rules.length === 0) {
    out.push(field.required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified"));
  }
  if (rules.length > maxRules) out.push(field.tooMany(`${path}.rules`, rules.length, maxRules));
  rules.forEach((rule, i) => {
    validateSuccessRule(out, `${path}.rules[${i}]`, rule, spec.completions ?? 0);
  });
}

function validateSuccessRule(
  out: Errors,
  path: string,
  { succeededCount: count, succeededIndexes }: SuccessPolicyRule,
  completions: number,
): void {
  if (!isSet(count) && !isSet(succeededIndexes)) {
    out.push(field.required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let total = 0;
  if (isSet(succeededIndexes)) {
    const at = `${path}.succeededIndexes`;
    if (succeededIndexes.length > maxIndexesLength) out.push(field.tooLong(at, maxIndexesLength));
    const counted = countIndexes(succeededIndexes, completions);
    if (typeof counted === "string") out.push(field.invalid(at, succeededIndexes, `error parsing succeededIndexes: ${counted}`));
    else total = counted;
  }
  if (!isSet(count)) return;
  const at = `${path}.succeededCount`;
  nonNegative(out, at, count);
  if (count > completions) {
    out.push(field.invalid(at, count, `must be less than or equal to ${completions} (the number of specified completions)`));
  }
  if (isSet(succeededIndexes) && count > total) {
    const detail = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    out.push(field.invalid(at, count, detail));
  }
}
