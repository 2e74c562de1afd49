/**
 * What a job's status may become. Whoever runs the job writes it, so it is held to what every client of jobs relies on.
 * A rule is only applied to what a write changes: a status that was wrong before may stay so.
 * @see https://kep.k8s.io/4368
 */
import { deepEqual, type FieldError, field } from "@coxswain/machinery";
import type { Job, JobSpec, JobStatus } from "@coxswain/types/batch-v1";
import { type Errors, isSet, nonNegative } from "../../../validation/checks.ts";
import { countIndexes, firstOverlap } from "../../../validation/job/indexes.ts";
import { withoutValue } from "../../../validation/job/policies.ts";

export const isTrue = (status: Readonly<JobStatus> | undefined, type: string): boolean =>
  status?.conditions?.some((c) => c.type === type && c.status === "True") ?? false;

const isFinished = (status: Readonly<JobStatus>): boolean => isTrue(status, "Complete") || isTrue(status, "Failed");
const noSpec: JobSpec = { template: {} };

const conditionNames = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"] as const;
type ConditionName = (typeof conditionNames)[number];

interface Change {
  readonly next: Readonly<JobStatus>;
  readonly prev: Readonly<JobStatus>;
  readonly spec: Readonly<JobSpec>;
  /** Whether any of the fields, conditions or the being finished differs. */
  changed(...what: readonly (keyof JobStatus | ConditionName | "finished")[]): boolean;
}

export function validateJobStatusUpdate(
  { status: next = {}, spec = noSpec }: Readonly<Job>,
  { status: prev = {} }: Readonly<Job>,
): FieldError[] {
  const out: Errors = [];
  const change: Change = {
    next,
    prev,
    spec,
    changed: (...what) =>
      what.some((name) => {
        if (name === "finished") return isFinished(next) !== isFinished(prev);
        const condition = conditionNames.find((one) => one === name);
        if (condition !== undefined) return isTrue(next, condition) !== isTrue(prev, condition);
        return !deepEqual(next[name as keyof JobStatus], prev[name as keyof JobStatus]);
      }),
  };
  for (const name of ["active", "succeeded", "failed", "ready", "terminating"] as const) nonNegative(out, `status.${name}`, next[name]);
  validateUncounted(out, next);
  validateConditions(out, change);
  validateTimes(out, change);
  validateFinished(out, change);
  validateIndexes(out, change);
  validateHistory(out, change);
  return out;
}

function validateUncounted(out: Errors, { uncountedTerminatedPods }: Readonly<JobStatus>): void {
  const seen = new Set<string>();
  for (const name of ["succeeded", "failed"] as const) {
    uncountedTerminatedPods?.[name]?.forEach((uid, i) => {
      const path = `status.uncountedTerminatedPods.${name}[${i}]`;
      if (uid === "") out.push(field.invalid(path, uid, "must not be empty"));
      else if (seen.has(uid)) out.push(field.duplicate(path, uid));
      seen.add(uid);
    });
  }
}

function validateConditions(out: Errors, { next, spec, changed }: Change): void {
  const refuse = (detail: string) => out.push(withoutValue("status.conditions", detail));
  const [complete, failed] = [isTrue(next, "Complete"), isTrue(next, "Failed")];
  const [target, met] = [isTrue(next, "FailureTarget"), isTrue(next, "SuccessCriteriaMet")];
  if (changed("Complete", "Failed") && complete && failed) refuse("cannot set Complete=True and Failed=true conditions");
  if (changed("Complete", "FailureTarget") && complete && target) refuse("cannot set Complete=True and FailureTarget=true conditions");
  if (changed("Failed", "failedIndexes") && failed && !target) {
    refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (changed("Complete", "SuccessCriteriaMet") && complete && !met) {
    refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if (met && failed) refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && target) refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (spec.successPolicy && !met && complete) {
    refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

function validateTimes(out: Errors, { next, changed }: Change): void {
  const { startTime, completionTime } = next;
  const complete = isTrue(next, "Complete");
  const path = "status.completionTime";
  if (changed("Complete", "completionTime")) {
    if (completionTime && !complete) {
      out.push(field.invalid(path, completionTime, "cannot set completionTime when there is no Complete=True condition"));
    }
    if (!completionTime && complete) out.push(field.required(path, "completionTime is required for Complete jobs"));
  }
  if (changed("startTime", "completionTime") && startTime && completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    out.push(field.invalid(path, completionTime, "must be equal to or after `startTime`"));
  }
}

function validateFinished(out: Errors, { next, spec, changed }: Change): void {
  const { active = 0, ready, terminating, startTime, uncountedTerminatedPods: uncounted } = next;
  const finished = isFinished(next);
  if (finished && changed("finished", "active") && active > 0) {
    out.push(field.invalid("status.active", active, "active>0 is invalid for finished job"));
  }
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if (finished && changed("finished", "startTime") && !startTime && !neverStarts) {
    out.push(field.required("status.startTime", "startTime is required for finished job"));
  }
  if (finished && changed("finished", "uncountedTerminatedPods") && (uncounted?.failed?.length || uncounted?.succeeded?.length)) {
    out.push(field.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job"));
  }
  if (finished && changed("finished", "terminating") && (terminating ?? 0) > 0) {
    out.push(field.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  }
  if (changed("ready", "active") && isSet(ready) && ready > active) {
    out.push(field.invalid("status.ready", ready, "cannot set more ready pods than active"));
  }
}

function validateIndexes(out: Errors, { next, spec, changed }: Change): void {
  const { completedIndexes = "", failedIndexes } = next;
  const { completions } = spec;
  if (changed("completedIndexes")) {
    const problem = isSet(completions) ? countIndexes(completedIndexes, completions) : 0;
    const path = "status.completedIndexes";
    if (typeof problem === "string") out.push(field.invalid(path, completedIndexes, `error parsing completedIndexes: ${problem}`));
    if (completedIndexes !== "" && spec.completionMode !== "Indexed") {
      out.push(field.invalid(path, completedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode"));
    }
  }
  if (!isSet(failedIndexes)) return;
  const path = "status.failedIndexes";
  if (changed("failedIndexes")) {
    const problem = isSet(completions) && isSet(spec.backoffLimitPerIndex) ? countIndexes(failedIndexes, completions) : 0;
    if (typeof problem === "string") out.push(field.invalid(path, failedIndexes, `error parsing failedIndexes: ${problem}`));
    if (!isSet(spec.backoffLimitPerIndex)) {
      out.push(field.invalid(path, failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"));
    }
  }
  if (changed("failedIndexes", "completedIndexes") && isSet(completions)) {
    const overlap = firstOverlap(completedIndexes, failedIndexes, completions);
    if (overlap !== undefined) {
      out.push(field.invalid(path, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${overlap}`));
    }
  }
}

/** What only ever grows, and what is final. */
function validateHistory(out: Errors, { next, prev, spec }: Change): void {
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (isTrue(prev, type) && !isTrue(next, type)) {
      out.push(withoutValue("status.conditions", `cannot disable the terminal ${type}=True condition`));
    }
  }
  if ((next.failed ?? 0) < (prev.failed ?? 0))
    out.push(field.invalid("status.failed", next.failed ?? 0, "cannot decrease the failed counter"));
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!mayShrink && (next.succeeded ?? 0) < (prev.succeeded ?? 0)) {
    out.push(field.invalid("status.succeeded", next.succeeded ?? 0, "cannot decrease the succeeded counter"));
  }
  if (next.completionTime && prev.completionTime && next.completionTime !== prev.completionTime) {
    out.push(field.invalid("status.completionTime", next.completionTime, "field is immutable"));
  }
  const resumes = isTrue(prev, "Suspended") && (next.conditions?.some((c) => c.type === "Suspended" && c.status === "False") ?? false);
  if (prev.startTime && prev.startTime !== next.startTime && !spec.suspend && !resumes) {
    out.push(field.invalid("status.startTime", next.startTime ?? null, "field is immutable for unsuspended job once set"));
  }
  const [met, wasMet] = [isTrue(next, "SuccessCriteriaMet"), isTrue(prev, "SuccessCriteriaMet")];
  if (wasMet && !met) out.push(withoutValue("status.conditions", "cannot disable the SuccessCriteriaMet=True condition"));
  if (isTrue(prev, "Complete") && !wasMet && met) {
    out.push(withoutValue("status.conditions", "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"));
  }
}
