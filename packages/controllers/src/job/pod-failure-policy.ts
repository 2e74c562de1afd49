/** What the failure of a Pod means to its Job. @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy */
import type { batchV1, coreV1 } from "@coxswain/api";
import type { Pod } from "../shared/pods/pod-state.ts";

export type FailureRuling =
  | { readonly action: "FailJob"; readonly message: string }
  | { readonly action: "FailIndex" | "Count" | "Ignore" };

/** By the first rule that the Pod matches; a failure that none speaks of counts. */
export function rulingOn(policy: batchV1.PodFailurePolicy | undefined, pod: Pod): FailureRuling {
  const { namespace, name } = pod.metadata ?? {};
  for (const [i, { action, onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    const what = onExitCodes === undefined ? conditionMatched(pod, onPodConditions ?? []) : exitMatched(pod, onExitCodes);
    if (what === undefined) continue;
    if (action === "Ignore" || action === "FailIndex" || action === "Count") return { action };
    if (action !== "FailJob") continue;
    const message =
      "exitCode" in what
        ? `Container ${what.name} for pod ${namespace}/${name} failed with exit code ${what.exitCode} matching FailJob rule at index ${i}`
        : `Pod ${namespace}/${name} has condition ${what.type} matching FailJob rule at index ${i}`;
    return { action, message };
  }
  return { action: "Count" };
}

export const isFailureIgnored = (policy: batchV1.PodFailurePolicy | undefined, pod: Pod): boolean =>
  rulingOn(policy, pod).action === "Ignore";

interface Exit {
  readonly name: string;
  readonly exitCode: number;
}

/** Of the containers first, then of those that initialise. An exit with 0 is no failure. */
function exitMatched(
  { status }: Pod,
  { containerName, operator, values }: batchV1.PodFailurePolicyOnExitCodesRequirement,
): Exit | undefined {
  for (const { name, state } of [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]) {
    const exitCode = state?.terminated?.exitCode;
    if (!exitCode || (containerName !== undefined && containerName !== name)) continue;
    const isListed = values.includes(exitCode);
    if ((operator === "In" && isListed) || (operator === "NotIn" && !isListed)) return { name, exitCode };
  }
  return undefined;
}

const conditionMatched = (
  { status }: Pod,
  patterns: readonly batchV1.PodFailurePolicyOnPodConditionsPattern[],
): coreV1.PodCondition | undefined =>
  status?.conditions?.find((condition) =>
    patterns.some((pattern) => pattern.type === condition.type && (pattern.status ?? "True") === condition.status),
  );
