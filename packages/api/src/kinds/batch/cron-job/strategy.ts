import { deepEqual } from "@coxswain/machinery";
import type { CronJob } from "@coxswain/types/batch-v1";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { defaultJobSpec, jobWarnings } from "../../../validation/job/spec.ts";
import { podNameWarnings } from "../../../validation/pod-spec/pod-name-warnings.ts";
import { cronJobColumns } from "./columns.ts";
import { cronJobSubresources } from "./subresources.ts";
import { cronJobValidation } from "./validation.ts";

export const cronJob = defineKind<CronJob>({
  type: "io.k8s.api.batch.v1.CronJob",
  defaults,
  prepareForCreate: (obj) => {
    obj.status = {};
    dropDisabledTemplateFields(obj.spec.jobTemplate.spec?.template, undefined);
  },
  prepareForUpdate: (next, prev) => dropDisabledTemplateFields(next.spec.jobTemplate.spec?.template, prev.spec.jobTemplate.spec?.template),
  ...cronJobValidation,
  warnings: ({ metadata, spec }, prev) => [
    ...(prev ? [] : podNameWarnings(metadata?.name)),
    ...(spec.jobTemplate?.spec && !(prev && deepEqual(spec, prev.spec)) ? jobWarnings("spec.jobTemplate.spec", spec.jobTemplate.spec) : []),
    ...(prev && spec.schedule.includes("TZ")
      ? [
          // The path is Kubernetes' own.
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        ]
      : []),
  ],
  subresources: cronJobSubresources,
  columns: cronJobColumns,
});

function defaults(obj: CronJob): void {
  obj.spec ??= { schedule: "", jobTemplate: {} };
  const { spec } = obj;
  spec.schedule ??= "";
  spec.jobTemplate ??= {};
  spec.jobTemplate.spec ??= { template: {} };
  spec.jobTemplate.spec.template ??= {};
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  defaultJobSpec(spec.jobTemplate.spec);
}
