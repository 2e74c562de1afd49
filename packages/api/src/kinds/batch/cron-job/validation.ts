import { field, maxLengthMessage } from "@coxswain/machinery";
import type { CronJob, CronJobSpec } from "@coxswain/types/batch-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, isSet, nonNegative, requiredOneOf } from "../../../validation/checks.ts";
import { validateJobSpec } from "../../../validation/job/spec.ts";
import { scheduleProblem } from "./schedule.ts";
import { timeZoneProblem } from "./time-zone.ts";

export const cronJobValidation: Validation<CronJob> = {
  validate: ({ spec }) => validateSpec(spec),
  validateCreate: ({ metadata, spec }) => {
    const out: Errors = [];
    validateZones(out, spec, undefined);
    const name = metadata?.name ?? "";
    if (name.length > maxNameLength) out.push(field.invalid("metadata.name", name, maxLengthMessage(maxNameLength)));
    return out;
  },
  validateUpdate: ({ spec }, prev) => {
    const out: Errors = [];
    validateZones(out, spec, prev.spec);
    return out;
  },
};

/** Jobs are called after it, with eleven characters more for the time. */
const maxNameLength = 63 - 11;

function validateSpec(spec: Readonly<CronJobSpec>): Errors {
  const out: Errors = [];
  const { schedule } = spec;
  const problem = schedule ? scheduleProblem(schedule) : undefined;
  if (!schedule) out.push(field.required("spec.schedule"));
  else if (problem !== undefined) out.push(field.invalid("spec.schedule", schedule, problem));
  nonNegative(out, "spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  requiredOneOf(out, "spec.concurrencyPolicy", spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"]);
  const { spec: jobSpec = { template: {} } } = spec.jobTemplate ?? {};
  validateJobSpec(out, "spec.jobTemplate.spec", jobSpec);
  if (jobSpec.selector) out.push(field.invalid("spec.jobTemplate.spec.selector", jobSpec.selector, "`selector` will be auto-generated"));
  if (jobSpec.manualSelector) out.push(field.notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]));
  nonNegative(out, "spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  nonNegative(out, "spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
  return out;
}

/** Zones inside the schedule are left from before there was a field: who has one may keep it, no one else may begin. */
function validateZones(out: Errors, spec: Readonly<CronJobSpec>, prev: Readonly<CronJobSpec> | undefined): void {
  const { schedule = "", timeZone } = spec;
  const mayKeep = prev?.schedule?.includes("TZ") ?? false;
  if (schedule.includes("TZ") && !mayKeep) {
    out.push(field.invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  } else if (schedule.includes("TZ") && isSet(timeZone)) {
    out.push(field.invalid("spec.schedule", schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  }
  if (!isSet(timeZone) || (prev && prev.timeZone === timeZone)) return;
  for (const problem of timeZoneProblem(timeZone)) out.push(field.invalid("spec.timeZone", timeZone, problem));
}
