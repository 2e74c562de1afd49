/** A CronJob, its Jobs, and what its status says of them. */
import type { batchV1, coreV1 } from "@coxswain/api";
import { cronJobs } from "@coxswain/client";
import { controllerReference } from "../shared/pods/claim.ts";
import { zoneNamed } from "./zoned-time.ts";

export type CronJob = batchV1.CronJob;
export type CronJobStatus = batchV1.CronJobStatus;
export type Job = batchV1.Job;

/** The same for the same time, so that no run is started twice. `atMs` since the epoch. */
export const jobName = ({ metadata }: CronJob, atMs: number): string => `${metadata?.name}-${Math.floor(atMs / 60_000)}`;

export function jobAt(cronJob: CronJob, atMs: number): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      name: jobName(cronJob, atMs),
      ...(metadata?.labels === undefined ? {} : { labels: { ...metadata.labels } }),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": localTime(atMs, cronJob.spec.timeZone ?? ""),
      },
      ownerReferences: [controllerReference(cronJob, cronJobs)],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

export const referenceTo = ({ metadata }: Job): coreV1.ObjectReference => {
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  const all = { kind: "Job", namespace, name, uid, apiVersion: "batch/v1", resourceVersion };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

export const isListed = ({ status }: CronJob, uid: string | undefined): boolean => status?.active?.some((one) => one.uid === uid) === true;

export function withoutJob(cronJob: CronJob, uid: string | undefined): CronJob {
  if (!isListed(cronJob, uid)) return cronJob;
  const { active: before = [], ...status } = cronJob.status ?? {};
  const active = before.filter((one) => one.uid !== uid);
  return { ...cronJob, status: active.length === 0 ? status : { ...status, active } };
}

/** RFC 3339 with the zone's offset: `2026-03-29T09:00:00+02:00`. */
function localTime(ms: number, timeZone: string): string {
  const localMs = zoneNamed(timeZone).toLocal(ms);
  const shown = new Date(localMs).toISOString().slice(0, 19);
  const minutes = Math.trunc((localMs - ms) / 60_000);
  if (minutes === 0) return `${shown}Z`;
  const two = (count: number): string => `${Math.floor(count)}`.padStart(2, "0");
  return `${shown}${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}
