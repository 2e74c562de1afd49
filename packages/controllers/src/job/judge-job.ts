/** Whether it is decided how a Job ends, though its Pods may not have ended yet. */
import { millisOf } from "@coxswain/machinery";
import { trueCondition } from "../shared/jobs/job-conditions.ts";
import { countCommon, countIndexes, type Intervals, parseIntervals } from "./index-intervals.ts";
import { isPodFailed, restartsOf } from "./job-pods.ts";
import type { Job, JobSettings } from "./job-settings.ts";
import type { JobObservation } from "./observe-job.ts";
import { rulingOn } from "./pod-failure-policy.ts";

export interface JobEnd {
  readonly outcome: "succeeded" | "failed";
  readonly reason: string;
  readonly message: string;
  /** The status says so already, in the condition `SuccessCriteriaMet` or `FailureTarget`. */
  readonly isReported: boolean;
}

/** What was decided once stays; of several that hold at once the first counts. */
export function judgeJob(seen: JobObservation, nowMs: number): JobEnd | undefined {
  return reportedBefore(seen.job) ?? failJobRule(seen) ?? limitExceeded(seen, nowMs) ?? indexesExceeded(seen) ?? successPolicyMet(seen);
}

/** `active`: how many Pods run now, after some were made or deleted. */
export function completionsReached({ settings: { completions }, succeeded }: JobObservation, active: number): JobEnd | undefined {
  const isComplete = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  const message = "Reached expected number of succeeded pods";
  return isComplete ? { outcome: "succeeded", reason: "CompletionsReached", message, isReported: false } : undefined;
}

/** When the Job fails for its age: milliseconds since the epoch. A suspended Job does not age. */
export function deadlineOf({ status }: Job, { deadlineMs, isSuspended }: JobSettings): number | undefined {
  const startedAt = millisOf(status?.startTime);
  return deadlineMs === undefined || isSuspended || startedAt === undefined ? undefined : startedAt + deadlineMs;
}

const failed = (reason: string, message: string): JobEnd => ({ outcome: "failed", reason, message, isReported: false });

function reportedBefore(job: Job): JobEnd | undefined {
  const success = trueCondition(job, "SuccessCriteriaMet");
  const reported = success ?? trueCondition(job, "FailureTarget");
  if (reported === undefined) return undefined;
  const { reason = "", message = "" } = reported;
  return { outcome: success === undefined ? "failed" : "succeeded", reason, message, isReported: true };
}

function failJobRule({ settings, pods }: JobObservation): JobEnd | undefined {
  const { failurePolicy } = settings;
  if (failurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const ruling = isPodFailed(pod, settings) ? rulingOn(failurePolicy, pod) : undefined;
    if (ruling?.action === "FailJob") return failed("PodFailurePolicy", ruling.message);
  }
  return undefined;
}

function limitExceeded(seen: JobObservation, nowMs: number): JobEnd | undefined {
  const { settings, job, pods } = seen;
  if (seen.failed > settings.backoffLimit || hasTooManyRestarts(settings, pods))
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  const deadline = deadlineOf(job, settings);
  if (deadline !== undefined && nowMs >= deadline) return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  return undefined;
}

const hasTooManyRestarts = ({ restartsContainers, backoffLimit }: JobSettings, pods: JobObservation["pods"]): boolean =>
  restartsContainers && restartsOf(pods) >= Math.max(backoffLimit, 1);

function indexesExceeded({ indexes, settings: { maxFailedIndexes, completions = 0 } }: JobObservation): JobEnd | undefined {
  if (indexes?.failed === undefined) return undefined;
  const count = countIndexes(indexes.failed);
  if (maxFailedIndexes !== undefined && count > maxFailedIndexes)
    return failed("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  const isOver = count > 0 && count + countIndexes(indexes.succeeded) >= completions;
  return isOver ? failed("FailedIndexes", "Job has failed indexes") : undefined;
}

/** @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy */
function successPolicyMet({ indexes, settings: { successPolicy, completions = 0 } }: JobObservation): JobEnd | undefined {
  if (indexes === undefined || indexes.succeeded.length === 0) return undefined;
  const met = (successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(indexes.succeeded) >= succeededCount;
    return isRuleMet(parseIntervals(succeededIndexes, completions), indexes.succeeded, succeededCount);
  });
  const message = `Matched rules at index ${met}`;
  return met < 0 ? undefined : { outcome: "succeeded", reason: "SuccessPolicy", message, isReported: false };
}

function isRuleMet(required: Intervals, succeeded: Intervals, enough: number | undefined): boolean {
  if (required.length === 0) return false;
  const common = countCommon(required, succeeded);
  return common === countIndexes(required) || (enough !== undefined && common >= enough);
}
