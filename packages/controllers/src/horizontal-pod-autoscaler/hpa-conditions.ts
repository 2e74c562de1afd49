import { wireTime } from "../wire-time.ts";
import type { HpaCondition } from "./hpa-types.ts";

/** In the place of the one of its type. The time stays as long as the status does. */
export function withHpaCondition(
  list: readonly HpaCondition[],
  next: Omit<HpaCondition, "lastTransitionTime">,
  nowMs: number,
): HpaCondition[] {
  const at = list.findIndex(({ type }) => type === next.type);
  const before = list[at];
  const since = before?.status === next.status ? before.lastTransitionTime : wireTime(nowMs);
  const condition = { ...next, ...(since === undefined ? {} : { lastTransitionTime: since }) };
  return before === undefined ? [...list, condition] : list.with(at, condition);
}
