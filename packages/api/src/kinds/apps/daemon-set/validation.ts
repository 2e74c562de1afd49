import { field } from "@coxswain/machinery";
import type { DaemonSet, DaemonSetSpec, RollingUpdateDaemonSet } from "@coxswain/types/apps-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { amountOf, atMost100Percent, validateIntOrPercent } from "../../../validation/int-or-percent.ts";
import {
  immutableSelector,
  isEmptySelector,
  matchSelector,
  shownLabels,
  shownSelector,
  validateLabelSelector,
} from "../../../validation/label-selector.ts";
import { validateEndlessTemplate, validatePodTemplate } from "../../../validation/pod-spec/template.ts";

export const daemonSetValidation: Validation<DaemonSet> = {
  validate: ({ spec }, prev) => [
    ...(prev === undefined ? [] : immutableSelector(spec?.selector, prev.spec?.selector)),
    ...validateSpec(spec),
  ],
};

function validateSpec(spec: Readonly<DaemonSetSpec> | undefined): Errors {
  const out: Errors = [];
  if (!spec) return out;
  const { selector, template } = spec;
  const labels = template?.metadata?.labels;
  validateLabelSelector(out, "spec.selector", selector, "selector values");
  if (matchSelector(selector, labels) === "differs") {
    out.push(field.invalid("spec.template.metadata.labels", shownLabels(labels), "`selector` does not match template `labels`"));
  }
  if (selector && isEmptySelector(selector))
    out.push(field.invalid("spec.selector", shownSelector(selector), "empty selector is invalid for daemonset"));
  validatePodTemplate(out, "spec.template", template ?? {});
  validateEndlessTemplate(out, "spec.template", template, "DaemonSet");
  nonNegative(out, "spec.minReadySeconds", spec.minReadySeconds);
  validateStrategy(out, "spec.updateStrategy", spec.updateStrategy ?? {});
  nonNegative(out, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  return out;
}

function validateStrategy(out: Errors, path: string, { type = "", rollingUpdate }: NonNullable<DaemonSetSpec["updateStrategy"]>): void {
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ? goRollingUpdate(rollingUpdate) : null };
    out.push(field.notSupported(path, shown, ["RollingUpdate", "OnDelete"]));
  } else if (!rollingUpdate) out.push(field.required(`${path}.rollingUpdate`));
  else validateRollingUpdate(out, `${path}.rollingUpdate`, rollingUpdate);
}

/** Either the old pods go first, or the new ones come first. */
function validateRollingUpdate(out: Errors, path: string, { maxUnavailable, maxSurge }: RollingUpdateDaemonSet): void {
  validateIntOrPercent(out, `${path}.maxUnavailable`, maxUnavailable);
  validateIntOrPercent(out, `${path}.maxSurge`, maxSurge);
  atMost100Percent(out, `${path}.maxUnavailable`, maxUnavailable);
  atMost100Percent(out, `${path}.maxSurge`, maxSurge);
  const [unavailable, surge] = [amountOf(maxUnavailable), amountOf(maxSurge)];
  if (unavailable !== 0 && surge !== 0) {
    out.push(field.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
  } else if (unavailable === 0 && surge === 0) {
    out.push(field.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
}

/** Messages show the struct under the names that Kubernetes has for it inside. */
const goRollingUpdate = ({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet) => ({
  MaxUnavailable: maxUnavailable,
  MaxSurge: maxSurge,
});
