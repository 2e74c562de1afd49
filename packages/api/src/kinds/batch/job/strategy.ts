import { deepEqual } from "@coxswain/machinery";
import type { Job, JobSpec } from "@coxswain/types/batch-v1";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { defaultJobSpec, jobWarnings, validateJob } from "../../../validation/job/spec.ts";
import { podNameWarnings } from "../../../validation/pod-spec/pod-name-warnings.ts";
import { jobColumns } from "./columns.ts";
import { jobSubresources } from "./subresources.ts";
import { validateJobUpdate } from "./update-validation.ts";

export const job = defineKind<Job>({
  type: "io.k8s.api.batch.v1.Job",
  metadataPasses: ["whole", "changes"],
  defaultGarbageCollectionPolicy: "Orphan",
  garbageCollectionWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  defaults,
  // A job without labels has those that are generated for its template; they are not checked as its own.
  defaultsOfPrepared: true,
  prepareForCreate: (obj) => {
    if (!obj.spec?.manualSelector) generateSelector(obj);
    obj.status = {};
    dropDisabledTemplateFields(obj.spec?.template, undefined);
  },
  // A template that was without labels has those that were generated for it.
  canonicalize: ({ metadata, spec }) => spec && shareTemplateLabels(metadata, spec),
  prepareForUpdate: (next, prev) => dropDisabledTemplateFields(next.spec?.template, prev.spec?.template),
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  subresources: jobSubresources,
  warnings: ({ metadata, spec }, prev) => [
    ...(prev ? [] : podNameWarnings(metadata?.name)),
    ...(spec && !(prev && deepEqual(spec, prev.spec)) ? jobWarnings("spec", spec) : []),
  ],
  selectableFields: ({ status }) => ({ "status.successful": String(status?.succeeded ?? 0) }),
  columns: jobColumns,
});

function defaults(obj: Job): void {
  obj.spec ??= { template: {} };
  const { spec, metadata } = obj;
  spec.template ??= {};
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
  defaultJobSpec(spec);
  shareTemplateLabels(metadata, spec);
}

/** A job without labels has its template's: the very same object, so that it also gets the labels generated below. */
function shareTemplateLabels(metadata: Job["metadata"], spec: Readonly<JobSpec>): void {
  const labels = spec.template.metadata?.labels;
  if (metadata && labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

const nameLabels = ["job-name", "batch.kubernetes.io/job-name"];
const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"];

/** Marks the pods as this job's and no other's. Labels that a client set to something else are reported later. */
function generateSelector(obj: Job): void {
  const { metadata = {}, spec } = obj;
  if (!spec) return;
  const { name = "", uid = "" } = metadata;
  spec.template.metadata ??= {};
  const given = spec.template.metadata.labels;
  const generated = [...nameLabels.map((key) => [key, name]), ...uidLabels.map((key) => [key, uid])];
  const labels: Record<string, string> = { ...Object.fromEntries(generated), ...given };
  spec.template.metadata.labels = labels;
  if (given !== undefined && metadata.labels === given) metadata.labels = labels;
  spec.selector ??= {};
  spec.selector.matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...spec.selector.matchLabels };
}
