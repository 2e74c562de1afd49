import { field } from "@coxswain/machinery";
import type { Deployment, DeploymentSpec, DeploymentStrategy } from "@coxswain/types/apps-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { amountOf, atMost100Percent, validateIntOrPercent } from "../../../validation/int-or-percent.ts";
import { immutableSelector } from "../../../validation/label-selector.ts";
import { validateEndlessTemplate, validatePodTemplate } from "../../../validation/pod-spec/template.ts";
import { validateSelected, validateSelector } from "../../../validation/selected-template.ts";

export const deploymentValidation: Validation<Deployment> = {
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (next, prev) => immutableSelector(next.spec?.selector, prev.spec?.selector),
};

function validateSpec(spec: Readonly<DeploymentSpec> | undefined): Errors {
  const out: Errors = [];
  if (!spec) return out;
  nonNegative(out, "spec.replicas", spec.replicas);
  validateSelector(out, spec.selector, "empty selector is invalid for deployment");
  if (validateSelected(out, spec.selector, spec.template, "invalid label selector")) {
    validatePodTemplate(out, "spec.template", spec.template);
    validateEndlessTemplate(out, "spec.template", spec.template, "ReplicaSet");
  }
  validateStrategy(out, "spec.strategy", spec.strategy ?? {});
  nonNegative(out, "spec.minReadySeconds", spec.minReadySeconds);
  nonNegative(out, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  const deadline = spec.progressDeadlineSeconds;
  nonNegative(out, "spec.progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    out.push(field.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  }
  return out;
}

function validateStrategy(out: Errors, path: string, { type = "", rollingUpdate }: Readonly<DeploymentStrategy>): void {
  const at = `${path}.rollingUpdate`;
  if (type === "Recreate") {
    if (rollingUpdate) out.push(field.forbidden(at, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ? goRollingUpdate(rollingUpdate) : null };
    out.push(field.notSupported(path, shown, ["Recreate", "RollingUpdate"]));
  } else if (rollingUpdate) {
    const { maxUnavailable, maxSurge } = rollingUpdate;
    validateIntOrPercent(out, `${at}.maxUnavailable`, maxUnavailable);
    validateIntOrPercent(out, `${at}.maxSurge`, maxSurge);
    if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
      out.push(field.invalid(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    }
    atMost100Percent(out, `${at}.maxUnavailable`, maxUnavailable);
  }
}

/** Messages show the struct under the names that Kubernetes has for it inside. */
const goRollingUpdate = ({ maxUnavailable = 0, maxSurge = 0 }: NonNullable<DeploymentStrategy["rollingUpdate"]>) => ({
  MaxUnavailable: maxUnavailable,
  MaxSurge: maxSurge,
});
