/** What a Job asks for, read once. */
import type { batchV1 } from "@coxswain/api";

export type Job = batchV1.Job;

export interface JobSettings {
  readonly isIndexed: boolean;
  /** Without it the Job is complete when any Pod has succeeded and none runs. */
  readonly completions: number | undefined;
  readonly parallelism: number;
  readonly backoffLimit: number;
  /** Each index has failures of its own, and its own delays. */
  readonly backoffLimitPerIndex: number | undefined;
  readonly maxFailedIndexes: number | undefined;
  readonly isSuspended: boolean;
  /** A Pod that is being deleted is not replaced, nor counted as failed, before it has ended. */
  readonly replacesOnlyFailed: boolean;
  readonly restartsContainers: boolean;
  readonly deadlineMs: number | undefined;
  readonly failurePolicy: batchV1.PodFailurePolicy | undefined;
  readonly successPolicy: batchV1.SuccessPolicy | undefined;
}

export function settingsOf({ spec }: Job): JobSettings {
  const deadlineSeconds = spec?.activeDeadlineSeconds;
  return {
    isIndexed: spec?.completionMode === "Indexed",
    completions: spec?.completions,
    parallelism: spec?.parallelism ?? 1,
    backoffLimit: spec?.backoffLimit ?? 6,
    backoffLimitPerIndex: spec?.backoffLimitPerIndex,
    maxFailedIndexes: spec?.maxFailedIndexes,
    isSuspended: spec?.suspend === true,
    replacesOnlyFailed: spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined,
    restartsContainers: spec?.template.spec?.restartPolicy === "OnFailure",
    deadlineMs: deadlineSeconds === undefined ? undefined : deadlineSeconds * 1000,
    failurePolicy: spec?.podFailurePolicy,
    successPolicy: spec?.successPolicy,
  };
}

/** Another controller does all for it. */
export const isManagedElsewhere = ({ spec }: Job): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";
