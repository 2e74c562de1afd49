/** The rules for a job's spec, in a job and in a CronJob's template alike. */
import { type FieldError, field, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { Job, JobSpec } from "@coxswain/types/batch-v1";
import { defaultPodTemplate } from "../../pod-spec/defaults.ts";
import { addInvalid, type Errors, isSet, nonNegative, oneOf } from "../checks.ts";
import { matchSelector, shownLabels, shownSelector, validateLabelSelector } from "../label-selector.ts";
import { validatePodTemplate } from "../pod-spec/template.ts";
import { templateWarnings } from "../pod-spec/warnings.ts";
import { validateFailurePolicy, validateSuccessPolicy } from "./policies.ts";

const maxIndexes = 100_000;
/** From this many completions on, failed indexes are only tracked up to a point. */
const manyCompletions = 100_000;
const manyLimit = 10_000;
const maxManagedBy = 63;

/** What is filled in for a CronJob's template too. */
export function defaultJobSpec(spec: JobSpec): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
  defaultPodTemplate(spec.template);
}

export function validateJob({ metadata, spec }: Readonly<Job>, prev?: Readonly<Job>): FieldError[] {
  const out: Errors = [];
  if (!spec) return out;
  const { name = "", uid = "" } = metadata ?? {};
  if (!spec.manualSelector && spec.selector) validateGenerated(out, spec, { name, uid, old: prev !== undefined && isOld(prev) });
  out.push(...validateSelectingSpec(spec));
  if (spec.completionMode === "Indexed" && (spec.completions ?? 0) > 0) {
    const hostname = `${name}-${(spec.completions ?? 0) - 1}`;
    if (validateDns1123Label(hostname).length > 0) {
      out.push(field.invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${hostname}`));
    }
  }
  return out;
}

/** The rules for a job's own spec. */
export function validateSelectingSpec(spec: Readonly<JobSpec>): Errors {
  const out: Errors = [];
  validateJobSpec(out, "spec", spec);
  if (!spec.selector) out.push(field.required("spec.selector"));
  else validateLabelSelector(out, "spec.selector", spec.selector, "selector values");
  const labels = spec.template?.metadata?.labels;
  if (matchSelector(spec.selector, labels) === "differs") {
    out.push(field.invalid("spec.template.metadata.labels", shownLabels(labels), "`selector` does not match template `labels`"));
  }
  return out;
}

const prefix = "batch.kubernetes.io/";

/** Whether the job is from before its labels had a prefix. */
function isOld({ spec }: Readonly<Job>): boolean {
  const labels = spec?.template?.metadata?.labels ?? {};
  return labels[`${prefix}job-name`] === undefined || labels[`${prefix}controller-uid`] === undefined;
}

interface Identity {
  readonly name: string;
  readonly uid: string;
  readonly old: boolean;
}

function validateGenerated(out: Errors, spec: Readonly<JobSpec>, { name, uid, old }: Identity): void {
  if (uid === "") out.push(field.required("metadata.uid"));
  const expected: Readonly<Record<string, string>> = {
    "controller-uid": uid,
    "job-name": name,
    ...(old ? {} : { [`${prefix}controller-uid`]: uid, [`${prefix}job-name`]: name }),
  };
  const labels = spec.template?.metadata?.labels;
  for (const [key, value] of Object.entries(expected)) {
    const path = `spec.template.metadata.labels[${key}]`;
    const actual = labels?.[key];
    if (actual === undefined) out.push(field.required(path, `must be '${value}'`));
    else if (actual !== value) out.push(field.invalid(path, shownLabels(labels), `must be '${value}'`));
  }
  if (matchSelector(spec.selector, expected) === "differs") {
    out.push(field.invalid("spec.selector", shownSelector(spec.selector), "`selector` not auto-generated"));
  }
}

/** Everything but the selector, which only a job has. */
export function validateJobSpec(out: Errors, path: string, spec: Readonly<JobSpec>): void {
  for (const name of counts) nonNegative(out, `${path}.${name}`, spec[name] ?? undefined);
  if (isSet(spec.maxFailedIndexes) && !isSet(spec.backoffLimitPerIndex)) {
    out.push(field.required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (isSet(spec.managedBy)) validateManagedBy(out, `${path}.managedBy`, spec.managedBy);
  oneOf(out, `${path}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]);
  if (spec.completionMode === "Indexed") validateIndexed(out, path, spec);
  else {
    for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (isSet(spec[name])) out.push(field.invalid(`${path}.${name}`, spec[name], "requires indexed completion mode"));
    }
  }
  if (spec.podFailurePolicy) validateFailurePolicy(out, `${path}.podFailurePolicy`, spec.podFailurePolicy, spec);
  if (spec.successPolicy) validateSuccessPolicy(out, `${path}.successPolicy`, spec.successPolicy, spec);
  oneOf(
    out,
    `${path}.podReplacementPolicy`,
    spec.podReplacementPolicy,
    spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"],
  );
  validatePodTemplate(out, `${path}.template`, spec.template ?? {});
  validateRestartPolicy(out, `${path}.template.spec.restartPolicy`, spec);
}

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** A domain and a path: `example.com/controller`. */
function validateManagedBy(out: Errors, path: string, name: string): void {
  const [domain = "", ...rest] = name.split("/");
  if (name === "") out.push(field.required(path));
  else if (rest.length === 0 || domain === "" || rest.join("/") === "") {
    out.push(field.invalid(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  } else {
    addInvalid(out, path, domain, validateDns1123Subdomain(domain));
    const segments = rest.join("/");
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(segments)) {
      const source = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
      out.push(field.invalid(path, segments, `Invalid path (regex used for validation is '${source}')`));
    }
  }
  if (name.length > maxManagedBy) out.push(field.tooLong(path, maxManagedBy));
}

function validateIndexed(out: Errors, path: string, spec: Readonly<JobSpec>): void {
  const { completions, parallelism, maxFailedIndexes: maxFailed } = spec;
  const tooLarge = (name: "parallelism" | "maxFailedIndexes", value: number, detail: string) =>
    out.push(field.invalid(`${path}.${name}`, value, `must be less than or equal to ${detail}`));
  if (!isSet(completions)) out.push(field.required(`${path}.completions`, "when completion mode is Indexed"));
  if (isSet(parallelism) && parallelism > maxIndexes) tooLarge("parallelism", parallelism, `${maxIndexes} when completion mode is Indexed`);
  if (isSet(completions) && isSet(maxFailed) && maxFailed > completions) tooLarge("maxFailedIndexes", maxFailed, "completions");
  if (isSet(maxFailed) && maxFailed > maxIndexes) tooLarge("maxFailedIndexes", maxFailed, `${maxIndexes}`);
  if ((completions ?? 0) <= manyCompletions || !isSet(spec.backoffLimitPerIndex)) return;
  const detail = `${manyLimit} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (!isSet(maxFailed)) {
    out.push(field.required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`));
  }
  if (isSet(parallelism) && parallelism > manyLimit) tooLarge("parallelism", parallelism, detail);
  if (isSet(maxFailed) && maxFailed > manyLimit) tooLarge("maxFailedIndexes", maxFailed, detail);
}

/** Pods of a job must be able to end. */
function validateRestartPolicy(out: Errors, path: string, spec: Readonly<JobSpec>): void {
  const policy = spec.template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") out.push(field.required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== "OnFailure" && policy !== "Never") out.push(field.notSupported(path, policy, ["OnFailure", "Never"]));
  else if (spec.podFailurePolicy && policy !== "Never") {
    out.push(field.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

export function jobWarnings(path: string, spec: Readonly<JobSpec>): string[] {
  const out = templateWarnings(`${path}.template`, spec.template);
  if (spec.completionMode === "Indexed" && (spec.completions ?? 0) > manyCompletions && (spec.parallelism ?? 0) > manyLimit) {
    out.unshift(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  }
  return out;
}
