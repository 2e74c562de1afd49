/** Why the kubelet ends a Pod that wants to go on. */
import type { coreV1 } from "@coxswain/api";

/** Why a Pod is ended that would run on. */
export interface Eviction {
  readonly reason: string;
  readonly message: string;
  /** Instead of what the Pod says. */
  readonly graceSeconds?: number;
  /** The condition that the Pod gets. */
  readonly condition?: coreV1.PodCondition;
}
