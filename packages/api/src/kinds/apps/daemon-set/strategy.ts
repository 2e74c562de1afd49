import { deepEqual, field } from "@coxswain/machinery";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import type { DaemonSet, DaemonSetSpec, DaemonSetStatus, RollingUpdateDaemonSet } from "../../../types/apps-v1.ts";
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
import { templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { validateCollisionCount } from "../../../validation/replica-status.ts";
import { daemonSetColumns } from "./columns.ts";

/** A field of older versions that lives on as an annotation: counts the templates. */
const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSet = defineKind<DaemonSet>({
  type: "io.k8s.api.apps.v1.DaemonSet",
  defaults,
  prepareForCreate: (obj) => {
    obj.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    dropDisabledTemplateFields(obj.spec?.template, undefined);
    setTemplateGeneration(obj, Math.max(templateGenerationOf(obj), 1));
  },
  prepareForUpdate: (next, prev) => {
    dropDisabledTemplateFields(next.spec?.template, prev.spec?.template);
    const changed = !deepEqual(next.spec?.template, prev.spec?.template);
    setTemplateGeneration(next, templateGenerationOf(prev) + (changed ? 1 : 0));
  },
  prepareForStatusUpdate: (next, prev) => setTemplateGeneration(next, templateGenerationOf(prev)),
  validate: ({ spec }, prev) => [
    ...(prev === undefined ? [] : immutableSelector(spec?.selector, prev.spec?.selector)),
    ...validateSpec(spec),
  ],
  validateStatusUpdate: ({ status }, prev) => {
    const out: Errors = [];
    for (const name of counts) nonNegative(out, `status.${name}`, status?.[name]);
    validateCollisionCount(out, status, prev.status);
    return out;
  },
  warnings: ({ spec }, prev) =>
    prev && deepEqual(spec?.template, prev.spec?.template) ? [] : templateWarnings("spec.template", spec?.template),
  columns: daemonSetColumns,
});

const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const satisfies readonly (keyof DaemonSetStatus)[];

const templateGenerationOf = ({ metadata }: Readonly<DaemonSet>): number => Number(metadata?.annotations?.[templateGeneration] ?? 0) || 0;

function setTemplateGeneration(obj: DaemonSet, value: number): void {
  if (!obj.metadata) return;
  obj.metadata.annotations = { ...obj.metadata.annotations, [templateGeneration]: String(value) };
}

function defaults(obj: DaemonSet): void {
  if (obj.metadata?.annotations?.[templateGeneration] === undefined) setTemplateGeneration(obj, 0);
  // A selector that is missing is reported later, with everything else that is wrong.
  obj.spec ??= { template: {} } as DaemonSetSpec;
  const { spec } = obj;
  spec.template ??= {};
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= 1;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}

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
