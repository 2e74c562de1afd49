/** A Job that is suspended has no Pods and does not age; when it is resumed its time restarts. */
import { wireTime } from "@coxswain/machinery";
import { newCondition, withJobCondition } from "../shared/jobs/job-conditions.ts";
import type { JobSettings } from "./job-settings.ts";
import type { JobStatus } from "./track-pods.ts";

export interface Suspension {
  readonly status: JobStatus;
  readonly event: { readonly reason: string; readonly message: string };
}

/** Undefined when the status says already what is. */
export function withSuspension(status: JobStatus, { isSuspended }: JobSettings, nowMs: number): Suspension | undefined {
  const [state, word] = isSuspended ? (["True", "Suspended"] as const) : (["False", "Resumed"] as const);
  const message = `Job ${word.toLowerCase()}`;
  const before = status.conditions ?? [];
  const conditions = withJobCondition(before, newCondition({ type: "Suspended", status: state, reason: `Job${word}`, message }, nowMs));
  if (conditions === before) return undefined;
  const { startTime: _, ...rest } = status;
  const start = isSuspended ? {} : { startTime: wireTime(nowMs) };
  return { status: { ...rest, ...start, conditions: [...conditions] }, event: { reason: word, message } };
}
