/** What of a Node's status is written: what has changed, and the heartbeats when they are due. */
import type { coreV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";

type NodeStatus = coreV1.NodeStatus;

/** A strategic merge patch of the status; undefined when nothing need be written. Conditions of others stay. */
export function statusPatch(
  before: Readonly<NodeStatus> | undefined,
  after: Readonly<NodeStatus>,
  { isHeartbeatDue }: { readonly isHeartbeatDue: boolean },
): object | undefined {
  const { conditions = [], addresses, ...facts } = after;
  const changed = Object.entries(facts).filter(([name, value]) => !deepEqual(before?.[name as keyof NodeStatus] ?? empty(value), value));
  const moved = addresses !== undefined && !deepEqual(before?.addresses ?? [], addresses);
  const turned = conditions.some((condition) => !saysTheSame(before?.conditions, condition));
  if (!isHeartbeatDue && changed.length === 0 && !moved && !turned) return undefined;
  return {
    conditions,
    ...Object.fromEntries(changed.map(([name, value]) => [name, changesIn(before?.[name as keyof NodeStatus], value)])),
    // Merged by type, two addresses of one type would become one.
    ...(moved ? { addresses: [...addresses, { $patch: "replace" }] } : {}),
  };
}

const empty = (value: unknown): unknown => (Array.isArray(value) ? [] : {});

/** Of maps such as capacity only what differs: what another client adds meanwhile stays. */
function changesIn(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after)) return after;
  const changed = Object.entries(after).filter(([key, value]) => !deepEqual(before[key], value));
  const gone = Object.keys(before).filter((key) => !(key in after));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map((key) => [key, null])) };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function saysTheSame(
  before: readonly coreV1.NodeCondition[] | undefined,
  { type, status, reason, message }: coreV1.NodeCondition,
): boolean {
  const known = before?.find((one) => one.type === type);
  return known?.status === status && known.reason === reason && known.message === message;
}
