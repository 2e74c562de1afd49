/** What a kubelet says of a Pod, put on top of what others have said meanwhile. */
import type { coreV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import { isTerminal } from "../pod/pod-state.ts";
import { isKubeletCondition } from "./pod-conditions.ts";

type PodStatus = coreV1.PodStatus;
type Condition = coreV1.PodCondition;

export interface MergeOptions {
  /** Containers may still run: others must not take the Pod's place yet. */
  readonly mayRun: boolean;
}

export function mergeStatus(base: PodStatus, reported: PodStatus, { mayRun }: MergeOptions): PodStatus {
  const ends = !isTerminal(base.phase) && isTerminal(reported.phase);
  const keepsPhase = (ends && mayRun) || isTerminal(base.phase);
  const { phase, reason, message } = keepsPhase ? base : reported;
  const { phase: _phase, reason: _reason, message: _message, ...rest } = reported;
  const conditions = mergeConditions(base.conditions ?? [], reported.conditions ?? [], ends && !mayRun);
  return {
    ...claimsOf(base),
    ...rest,
    ...(phase === undefined ? {} : { phase }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    conditions: isTerminal(phase) ? conditions.map((one) => endReadiness(one, phase)) : conditions,
  };
}

/** Written by those who give devices to Pods. */
function claimsOf({ resourceClaimStatuses, extendedResourceClaimStatus, nodeAllocatableResourceClaimStatuses }: PodStatus): PodStatus {
  return {
    ...(resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses }),
    ...(extendedResourceClaimStatus === undefined ? {} : { extendedResourceClaimStatus }),
    ...(nodeAllocatableResourceClaimStatuses === undefined ? {} : { nodeAllocatableResourceClaimStatuses }),
  };
}

/** That a Pod was disrupted is written together with its terminal phase. */
function mergeConditions(base: readonly Condition[], reported: readonly Condition[], reportsDisruption: boolean): Condition[] {
  const disruption = reportsDisruption ? reported.find(({ type }) => type === "DisruptionTarget") : undefined;
  const others = base.filter(({ type }) => !isKubeletCondition(type) && type !== disruption?.type);
  return [...others, ...reported.filter((one) => one === disruption || isKubeletCondition(one.type))];
}

function endReadiness(condition: Condition, phase: string | undefined): Condition {
  const { type, status, message: _, ...rest } = condition;
  if (status !== "True" || (type !== "Ready" && type !== "ContainersReady")) return condition;
  return { ...rest, type, status: "False", reason: phase === "Failed" ? "PodFailed" : "PodCompleted" };
}

/** A strategic merge patch that makes `base` into `wanted`; undefined when they are alike. Conditions of others stay as they are. */
export function statusPatch(base: PodStatus, wanted: PodStatus): object | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(base), ...Object.keys(wanted)])) {
    if (name === "conditions") continue;
    const before = base[name as keyof PodStatus];
    const after = wanted[name as keyof PodStatus];
    if (!deepEqual(before, after)) patch[name] = after === undefined ? null : before === undefined ? after : replacement(name, after);
  }
  Object.assign(patch, conditionsPatch(base.conditions ?? [], wanted.conditions ?? []));
  return Object.keys(patch).length === 0 ? undefined : patch;
}

const mergedLists: readonly string[] = ["podIPs", "hostIPs"];

/** What would be merged with what is there takes its place instead. */
function replacement(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return mergedLists.includes(name) ? [...value, { $patch: "replace" }] : value;
  return typeof value === "object" ? { ...value, $patch: "replace" } : value;
}

function conditionsPatch(base: readonly Condition[], wanted: readonly Condition[]): object {
  const gone = base.filter(({ type }) => !wanted.some((one) => one.type === type)).map(({ type }) => ({ type, $patch: "delete" }));
  const changed = wanted.flatMap((condition) => {
    const before = base.find(({ type }) => type === condition.type);
    const next = { ...nulls(before, condition), ...condition };
    return before !== undefined && deepEqual(before, { ...before, ...next }) ? [] : [next];
  });
  if (gone.length + changed.length === 0) return {};
  return { conditions: [...changed, ...gone], "$setElementOrder/conditions": wanted.map(({ type }) => ({ type })) };
}

/** Fields that are to go. */
const nulls = (before: Condition | undefined, after: Condition): object =>
  Object.fromEntries(
    Object.entries(before ?? {})
      .filter(([name, value]) => value !== null && after[name as keyof Condition] === undefined)
      .map(([name]) => [name, null]),
  );
