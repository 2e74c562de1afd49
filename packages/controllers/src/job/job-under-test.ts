/** Jobs and Pods in few words, for tables. */
import type { coreV1 } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";
import { failureCountAnnotation, indexAnnotation, trackingFinalizer } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import { type JobObservation, observeJob } from "./observe-job.ts";
import { noFailures, type PodFailures } from "./pod-backoff.ts";

export const nowMs = Date.parse("2026-01-01T12:00:00Z");

export const jobWith = (spec: Partial<NonNullable<Job["spec"]>>, status: Job["status"] = {}): Job => ({
  metadata: { name: "sum", namespace: "default", uid: "job" },
  spec: { backoffLimit: 6, parallelism: 1, template: { spec: { containers: [], restartPolicy: "Never" } }, ...spec },
  status,
});

export interface PodWith {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly index?: number;
  /** Failures of its index before it. */
  readonly failures?: number;
  readonly deleted?: true;
  /** Has been counted. */
  readonly untracked?: true;
  readonly exitCode?: number;
  readonly condition?: string;
  readonly restarts?: number;
  /** Seconds ago. */
  readonly ended?: number;
}

export function podWith({ phase = "Running", index, failures = 0, ...rest }: PodWith, i = 0): coreV1.Pod {
  const { deleted, untracked, exitCode, condition, restarts = 0, ended = 0 } = rest;
  const terminated = { exitCode: exitCode ?? (phase === "Failed" ? 1 : 0), finishedAt: wireTime(nowMs - ended * 1000) };
  const state = phase === "Succeeded" || phase === "Failed" ? { terminated } : {};
  return {
    metadata: {
      name: `sum-${i}`,
      namespace: "default",
      uid: `pod-${i}`,
      ...(untracked === true ? {} : { finalizers: [trackingFinalizer] }),
      ...(deleted === true ? { deletionTimestamp: wireTime(nowMs) } : {}),
      ...(index === undefined ? {} : { annotations: { [indexAnnotation]: `${index}`, [failureCountAnnotation]: `${failures}` } }),
    },
    status: {
      phase,
      containerStatuses: [{ name: "c", image: "", imageID: "", ready: false, restartCount: restarts, state }],
      ...(condition === undefined ? {} : { conditions: [{ type: condition, status: "True" }] }),
    },
  };
}

export const seenWith = (job: Job, pods: readonly PodWith[], before: PodFailures = noFailures): JobObservation =>
  observeJob(job, pods.map(podWith), before);
