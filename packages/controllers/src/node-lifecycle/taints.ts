/**
 * Taints that follow a Node's conditions.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions
 */
import { deepEqual, wireTime } from "@coxswain/machinery";
import { type Node, nodeCondition, type Taint } from "./node-state.ts";

export const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
export const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };

const unschedulableKey = "node.kubernetes.io/unschedulable";

const conditionKeys: readonly { readonly type: string; readonly status: string; readonly key: string }[] = [
  { type: "Ready", status: "False", key: notReady.key },
  { type: "Ready", status: "Unknown", key: unreachable.key },
  { type: "MemoryPressure", status: "True", key: "node.kubernetes.io/memory-pressure" },
  { type: "DiskPressure", status: "True", key: "node.kubernetes.io/disk-pressure" },
  { type: "NetworkUnavailable", status: "True", key: "node.kubernetes.io/network-unavailable" },
  { type: "PIDPressure", status: "True", key: "node.kubernetes.io/pid-pressure" },
];

export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** The NoSchedule taints of the conditions of the Node. */
export function noScheduleChange({ spec, status }: Node): TaintChange {
  const keys = (status?.conditions ?? []).flatMap(({ type, status }) =>
    conditionKeys.filter((one) => one.type === type && one.status === status).map(({ key }) => key),
  );
  if (spec?.unschedulable === true) keys.push(unschedulableKey);
  const own = [...conditionKeys.map(({ key }) => key), unschedulableKey];
  const existing = (spec?.taints ?? []).filter(({ key, effect }) => effect === "NoSchedule" && own.includes(key));
  return {
    add: keys.filter((key) => !existing.some((one) => one.key === key)).map((key) => ({ key, effect: "NoSchedule" })),
    remove: existing.filter(({ key }) => !keys.includes(key)),
  };
}

/** The NoExecute taint of the Node, and the one that it replaces; undefined for a Node that is ready or has no Ready condition. */
export function noExecuteChange(node: Node): { readonly add: Taint; readonly remove: Taint } | undefined {
  switch (nodeCondition(node, "Ready")?.status) {
    case "False":
      return { add: notReady, remove: unreachable };
    case "Unknown":
      return { add: unreachable, remove: notReady };
    default:
      return undefined;
  }
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

export const hasTaint = ({ spec }: Node, taint: Taint): boolean => spec?.taints?.some((one) => isSame(one, taint)) ?? false;

/** Undefined when nothing would change. */
export function taintsAfter({ spec }: Node, { add, remove }: TaintChange, nowMs: number): Taint[] | undefined {
  const before = spec?.taints ?? [];
  const kept = before.filter((one) => !remove.some((taint) => isSame(one, taint)));
  const missing = add.filter((taint) => !kept.some((one) => isSame(one, taint)));
  const after = [...kept, ...missing.map((taint) => ({ ...taint, timeAdded: wireTime(nowMs) }))];
  return deepEqual(after, before) ? undefined : after;
}
