import { field, parseApiVersion, parseQuantity } from "@coxswain/machinery";
import type { CrossVersionObjectReference, HorizontalPodAutoscaler, HPAScalingRules } from "@coxswain/types/autoscaling-v2";
import type { Validation } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateMetrics } from "./metrics.ts";
import { validateReference } from "./reference.ts";

export const horizontalPodAutoscalerValidation: Validation<HorizontalPodAutoscaler> = {
  validate: ({ spec }, prev) => {
    const out: Errors = [];
    const { minReplicas, maxReplicas = 0, scaleTargetRef: target } = spec ?? {};
    // Scaling to nothing needs a feature that is off by default.
    const least = prev?.spec?.minReplicas === 0 ? 0 : 1;
    if (minReplicas !== undefined && minReplicas < least) {
      out.push(field.invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${least}`));
    }
    if (maxReplicas === 0) out.push(field.required("spec.maxReplicas", "must be set and greater than 0"));
    else if (maxReplicas < 0) out.push(field.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1"));
    if (minReplicas !== undefined && maxReplicas < minReplicas) {
      out.push(field.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
    }
    validateReference(out, "spec.scaleTargetRef", target);
    const before = prev?.spec?.scaleTargetRef;
    // A target without a group is tolerated as long as it stays what it was.
    if (!before || target?.apiVersion !== before.apiVersion || target?.kind !== before.kind) out.push(...targetGroupErrors(target));
    validateMetrics(out, "spec.metrics", spec?.metrics ?? [], minReplicas);
    validateRules(out, "spec.behavior.scaleUp", spec?.behavior?.scaleUp);
    validateRules(out, "spec.behavior.scaleDown", spec?.behavior?.scaleDown);
    return out;
  },
};

const maxStabilizationSeconds = 3600;

const maxPeriodSeconds = 1800;

/** ReplicationControllers are the one target in the core group. */
function targetGroupErrors(target: Readonly<CrossVersionObjectReference> | undefined): Errors {
  if (target?.kind === "ReplicationController") return apiVersionErrors(target.apiVersion, true);
  return apiVersionErrors(target?.apiVersion, false);
}

function apiVersionErrors(apiVersion: string | undefined = "", coreIsFine: boolean): Errors {
  const parsed = parseApiVersion(apiVersion);
  const path = "spec.scaleTargetRef.apiVersion";
  if (parsed === undefined) return [field.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  return parsed.group === "" && !coreIsFine ? [field.invalid(path, apiVersion, "apiVersion must specify API group")] : [];
}

function validateRules(out: Errors, path: string, rules: Readonly<HPAScalingRules> | undefined): void {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  if (window !== undefined && window < 0) {
    out.push(field.invalid(`${path}.stabilizationWindowSeconds`, window, "must be greater than or equal to zero"));
  }
  if (window !== undefined && window > maxStabilizationSeconds) {
    out.push(field.invalid(`${path}.stabilizationWindowSeconds`, window, `must be less than or equal to ${maxStabilizationSeconds}`));
  }
  const selections = ["Disabled", "Max", "Min"];
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    out.push(field.notSupported(`${path}.selectPolicy`, selectPolicy, selections));
  }
  if (policies.length === 0) out.push(field.required(`${path}.policies`, "must specify at least one Policy"));
  for (const [i, { type, value, periodSeconds: period }] of policies.entries()) {
    const at = `${path}.policies[${i}]`;
    if (type !== "Pods" && type !== "Percent") out.push(field.notSupported(`${at}.type`, type, ["Percent", "Pods"]));
    if (value <= 0) out.push(field.invalid(`${at}.value`, value, "must be greater than zero"));
    if (period <= 0) out.push(field.invalid(`${at}.periodSeconds`, period, "must be greater than zero"));
    if (period > maxPeriodSeconds)
      out.push(field.invalid(`${at}.periodSeconds`, period, `must be less than or equal to ${maxPeriodSeconds}`));
  }
  if (tolerance !== undefined && parseQuantity(tolerance)?.sign() === -1) {
    out.push(field.invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0"));
  }
}
