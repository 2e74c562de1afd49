import { deepEqual, type FieldError, field, validateDns1123Label } from "@coxswain/machinery";
import type { RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetSpec } from "@coxswain/types/apps-v1";
import type { PersistentVolumeClaim, PodTemplateSpec } from "@coxswain/types/core-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, isSet, nonNegative, oneOf } from "../../../validation/checks.ts";
import { amountOf, atMost100Percent, validateIntOrPercent } from "../../../validation/int-or-percent.ts";
import { validateClaimSpec } from "../../../validation/persistent-volume-claim/spec.ts";
import { validateEndlessTemplate, validatePodTemplate, validateTemplateMetadata } from "../../../validation/pod-spec/template.ts";
import { dropToleratedErrors } from "../../../validation/ratcheting.ts";
import { validateSelected, validateSelector } from "../../../validation/selected-template.ts";

export const statefulSetValidation: Validation<StatefulSet> = {
  validate,
  validateUpdate,
};

/** Which rules a spec need not keep. */
interface Leniency {
  /** What cannot change is not checked again. */
  readonly updating: boolean;
  /** The template is not checked when there was something wrong with the set already. */
  readonly brokenBefore: boolean;
}

function validate({ spec }: Readonly<StatefulSet>, prev?: Readonly<StatefulSet>): readonly FieldError[] {
  const updating = prev !== undefined;
  const errors = validateSpec(spec, { updating, brokenBefore: false });
  if (!updating || errors.length === 0) return errors;
  const before = validateSpec(prev.spec, { updating, brokenBefore: false });
  return dropToleratedErrors(before, () => before).length === 0 ? errors : validateSpec(spec, { updating, brokenBefore: true });
}

function validateSpec(spec: Readonly<StatefulSetSpec> | undefined, { updating, brokenBefore }: Leniency): Errors {
  const out: Errors = [];
  if (!spec) return out;
  const policy = spec.podManagementPolicy;
  if (!policy) out.push(field.required("spec.podManagementPolicy"));
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    out.push(field.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  validateStrategy(out, "spec.updateStrategy", spec.updateStrategy ?? {});
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  for (const when of ["whenDeleted", "whenScaled"] as const) {
    if (retention) oneOf(out, `spec.persistentVolumeClaimRetentionPolicy.${when}`, retention[when] ?? "", ["Retain", "Delete"]);
  }
  if (!updating) validateClaims(out, spec.volumeClaimTemplates ?? []);
  nonNegative(out, "spec.replicas", spec.replicas);
  nonNegative(out, "spec.minReadySeconds", spec.minReadySeconds);
  nonNegative(out, "spec.ordinals.start", spec.ordinals?.start);
  if (!updating && spec.serviceName) addInvalid(out, "spec.serviceName", spec.serviceName, validateDns1123Label(spec.serviceName));
  validateSelector(out, spec.selector, "empty selector is invalid for statefulset");
  if (validateSelected(out, spec.selector, spec.template, "")) {
    if (!brokenBefore) validatePodTemplate(out, "spec.template", asItWillBe(spec));
    // Kubernetes checks the template's metadata once more, and reports each error as often.
    validateTemplateMetadata(out, "spec.template", spec.template ?? {});
  }
  validateEndlessTemplate(out, "spec.template", spec.template, "StatefulSet");
  return out;
}

function validateClaims(out: Errors, claims: readonly PersistentVolumeClaim[]): void {
  for (const [i, claim] of claims.entries()) validateClaimSpec(out, `spec.volumeClaimTemplates[${i}].spec`, claim.spec ?? {});
}

/** The template as the controller uses it: with the claims as volumes, and names that the pods get from the set. */
function asItWillBe({ template, volumeClaimTemplates: claims = [] }: Readonly<StatefulSetSpec>): PodTemplateSpec {
  if (!template?.spec) return template ?? {};
  const { hostname: _, subdomain: __, volumes = [], ...spec } = template.spec;
  const names = [...new Set(claims.map(({ metadata }) => metadata?.name ?? ""))];
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...spec, volumes: [...claimed, ...volumes.filter(({ name }) => !names.includes(name))] } };
}

function validateStrategy(out: Errors, path: string, { type, rollingUpdate }: NonNullable<StatefulSetSpec["updateStrategy"]>): void {
  if (!type) out.push(field.required(path));
  else if (type === "RollingUpdate") {
    if (rollingUpdate) validateRollingUpdate(out, `${path}.rollingUpdate`, rollingUpdate);
  } else if (type !== "OnDelete") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ? goRollingUpdate(rollingUpdate) : null };
    out.push(field.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (rollingUpdate) {
    out.push(field.invalid(`${path}.rollingUpdate`, goRollingUpdate(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'"));
  }
}

function validateRollingUpdate(out: Errors, path: string, { partition, maxUnavailable }: RollingUpdateStatefulSetStrategy): void {
  nonNegative(out, `${path}.partition`, partition);
  if (!isSet(maxUnavailable)) return;
  validateIntOrPercent(out, `${path}.maxUnavailable`, maxUnavailable);
  if (amountOf(maxUnavailable) === 0) out.push(field.invalid(`${path}.maxUnavailable`, maxUnavailable, "cannot be 0"));
  atMost100Percent(out, `${path}.maxUnavailable`, maxUnavailable);
}

/** Messages show the struct under the names that Kubernetes has for it inside. */
const goRollingUpdate = ({ partition = 0, maxUnavailable = null }: { partition?: number; maxUnavailable?: number | string | null }) => ({
  Partition: partition,
  MaxUnavailable: maxUnavailable,
});

const changeable = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const satisfies readonly (keyof StatefulSetSpec)[];

const changeDetail =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function validateUpdate(next: Readonly<StatefulSet>, prev: Readonly<StatefulSet>): FieldError[] {
  const fixed = (spec: Readonly<StatefulSetSpec> | undefined) =>
    Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => !changeable.some((c) => c === name)));
  return deepEqual(fixed(next.spec), fixed(prev.spec)) ? [] : [field.forbidden("spec", changeDetail)];
}
