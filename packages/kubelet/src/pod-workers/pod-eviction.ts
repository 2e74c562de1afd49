/** Why the kubelet ends a Pod that wants to go on. */
import type { coreV1 } from "@coxswain/api";

/** Why somebody ends a Pod that wants to go on. */
export interface Eviction {
  readonly reason: string;
  readonly message: string;
  /** Instead of what the Pod says. */
  readonly graceSeconds?: number;
  /** What the Pod is told to have met. */
  readonly condition?: coreV1.PodCondition;
}
