/**
 * What a kubelet says of its node: each condition with Kubernetes' reasons and messages.
 * @see https://kubernetes.io/docs/reference/node/node-status/#condition
 */
import type { coreV1 } from "@coxswain/api";

export type NodeCondition = coreV1.NodeCondition;

/** What keeps a node from running Pods, and what it runs short of. */
export interface NodeHealth {
  /** Why no Pod can be run now; empty: it is ready. */
  readonly problems: readonly string[];
  readonly memoryPressure: boolean;
  readonly diskPressure: boolean;
  readonly pidPressure: boolean;
}

/** The health of a node that lacks nothing. */
export const healthy: NodeHealth = { problems: [], memoryPressure: false, diskPressure: false, pidPressure: false };

type ConditionText = Pick<NodeCondition, "type" | "status" | "reason" | "message">;

/** In the order in which Kubernetes has them; a time of transition stays while the status does. */
export function nodeConditions(health: NodeHealth, before: readonly NodeCondition[], time: string): NodeCondition[] {
  return conditionTexts(health).map((text) => {
    const known = before.find(({ type }) => type === text.type);
    const lastTransitionTime = known?.status === text.status ? (known.lastTransitionTime ?? time) : time;
    return { ...text, lastHeartbeatTime: time, lastTransitionTime };
  });
}

function conditionTexts({ problems, memoryPressure, diskPressure, pidPressure }: NodeHealth): readonly ConditionText[] {
  return [
    memoryPressure
      ? {
          type: "MemoryPressure",
          status: "True",
          reason: "KubeletHasInsufficientMemory",
          message: "kubelet has insufficient memory available",
        }
      : {
          type: "MemoryPressure",
          status: "False",
          reason: "KubeletHasSufficientMemory",
          message: "kubelet has sufficient memory available",
        },
    diskPressure
      ? { type: "DiskPressure", status: "True", reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" }
      : { type: "DiskPressure", status: "False", reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
    pidPressure
      ? { type: "PIDPressure", status: "True", reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available" }
      : { type: "PIDPressure", status: "False", reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
    problems.length > 0
      ? { type: "Ready", status: "False", reason: "KubeletNotReady", message: aggregate(problems) }
      : { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  ];
}

/** As Go's tools write several errors. */
function aggregate(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length > 1 ? `[${different.join(", ")}]` : different.join();
}

/** The Event when a condition changes; nothing for the first `False` of a Ready that was not there. */
export function eventReason({ type, status }: Pick<NodeCondition, "type" | "status">): string {
  const isTrue = status === "True";
  switch (type) {
    case "MemoryPressure":
      return isTrue ? "NodeHasInsufficientMemory" : "NodeHasSufficientMemory";
    case "DiskPressure":
      return isTrue ? "NodeHasDiskPressure" : "NodeHasNoDiskPressure";
    case "PIDPressure":
      return isTrue ? "NodeHasInsufficientPID" : "NodeHasSufficientPID";
    default:
      return isTrue ? "NodeReady" : "NodeNotReady";
  }
}
