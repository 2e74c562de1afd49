/** The order in which Pods are preempted. */
import { millisOf } from "@coxswain/machinery";
import type { Pod } from "../../framework/pod-info.ts";

export const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;

/** Milliseconds since the epoch; what has not started yet, starts now. */
export const startOf = ({ status }: Pod, nowMs: number): number => millisOf(status?.startTime) ?? nowMs;

/** For sorting: the more important first, which are those of higher priority, and among equals the older. */
export const byImportance =
  (nowMs: number) =>
  (a: Pod, b: Pod): number =>
    priorityOf(b) - priorityOf(a) || startOf(a, nowMs) - startOf(b, nowMs);
