import type { batchV1 } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";

type Job = batchV1.Job;

export type JobCondition = batchV1.JobCondition;

export interface NewCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export const newCondition = ({ type, status, reason, message }: NewCondition, nowMs: number): JobCondition => {
  const now = wireTime(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
};

export const trueCondition = ({ status }: Job, type: string): JobCondition | undefined =>
  status?.conditions?.find((one) => one.type === type && one.status === "True");

/** `Complete`, `Failed` or neither yet. */
export const finishedCondition = (job: Job): JobCondition | undefined => trueCondition(job, "Complete") ?? trueCondition(job, "Failed");

export const isJobFinished = (job: Job): boolean => finishedCondition(job) !== undefined;

/** The same list when it says that already; that something is not so is not said of what never was. */
export function withJobCondition(list: readonly JobCondition[], next: JobCondition): readonly JobCondition[] {
  const at = list.findIndex(({ type }) => type === next.type);
  const before = list[at];
  if (before === undefined) return next.status === "False" ? list : [...list, next];
  const isSame = before.status === next.status && before.reason === next.reason && before.message === next.message;
  return isSame ? list : list.with(at, next);
}
