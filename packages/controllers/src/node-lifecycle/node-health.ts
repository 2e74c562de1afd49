/**
 * Whether a Node's kubelet still reports: by the time of its heartbeats, or by its Lease. All times are this process's own:
 * `nowMs` is by the monotonic clock, so that a calendar that is set does not make Nodes silent; `wallMs` is what is written.
 */
import type { coordinationV1 } from "@coxswain/api";
import { millisOf, wireTime } from "@coxswain/machinery";
import { type Node, type NodeCondition, nodeCondition } from "./node-state.ts";

/** How long a kubelet may be silent, and how long a new Node may take to say anything. */
export const graceMs = 50_000;
export const startupGraceMs = 60_000;

export interface NodeHealth {
  /** When it last reported. */
  readonly heardMs: number;
  /** What was seen then, to detect what is new. */
  readonly heartbeat: string | undefined;
  readonly hasReady: boolean;
  readonly renewTime: string | undefined;
}

export interface HealthSources {
  /** As it was observed the last time. */
  readonly before: NodeHealth | undefined;
  readonly node: Node;
  readonly lease: coordinationV1.Lease | undefined;
  /** By the monotonic clock. */
  readonly nowMs: number;
  /** Since the epoch. */
  readonly wallMs: number;
}

export function observeHealth({ before, node, lease, nowMs, wallMs }: HealthSources): NodeHealth {
  const ready = nodeCondition(node, "Ready");
  const heartbeat = ready?.lastHeartbeatTime ?? undefined;
  const renewTime = lease?.spec?.renewTime ?? before?.renewTime;
  const isRenewed = lease?.spec?.renewTime !== undefined && isLater(lease.spec.renewTime, before?.renewTime);
  const isNews = isRenewed || (ready !== undefined && (before?.hasReady !== true || before.heartbeat !== heartbeat));
  const ageMs = Math.max(0, wallMs - (millisOf(node.metadata?.creationTimestamp) ?? wallMs));
  const silentSince = before?.heardMs ?? nowMs - ageMs;
  return { heardMs: isNews ? nowMs : silentSince, heartbeat, hasReady: ready !== undefined, renewTime };
}

const isLater = (time: string, before: string | undefined): boolean =>
  before === undefined || (millisOf(time) ?? 0) > (millisOf(before) ?? 0);

/** What is Unknown of a Node that has been silent for too long; undefined while it has not, or when that is written already. */
export function silentConditions(node: Node, { heardMs }: NodeHealth, nowMs: number, wallMs: number): NodeCondition[] | undefined {
  const ready = nodeCondition(node, "Ready");
  if (nowMs <= heardMs + (ready === undefined ? startupGraceMs : graceMs) || ready?.status === "Unknown") return undefined;
  const conditions = (node.status?.conditions ?? []).map((one) => (kubeletTypes.includes(one.type) ? unknown(one, wallMs) : one));
  const missing = kubeletTypes.filter((type) => nodeCondition(node, type) === undefined);
  return [...conditions, ...missing.map((type) => neverReported(type, node, wallMs))];
}

/** The conditions of the kubelet; that of the network is set by others. */
const kubeletTypes: readonly string[] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

const unknown = (condition: NodeCondition, wallMs: number): NodeCondition =>
  condition.status === "Unknown"
    ? condition
    : {
        ...condition,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
        lastTransitionTime: wireTime(wallMs),
      };

const neverReported = (type: string, { metadata }: Node, wallMs: number): NodeCondition => ({
  type,
  status: "Unknown",
  reason: "NodeStatusNeverUpdated",
  message: "Kubelet never posted node status.",
  lastHeartbeatTime: metadata?.creationTimestamp ?? wireTime(wallMs),
  lastTransitionTime: wireTime(wallMs),
});
