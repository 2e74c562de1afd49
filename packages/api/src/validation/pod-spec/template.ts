/** The template from which a controller makes pods. */
import { field } from "@coxswain/machinery";
import type { PodTemplateSpec } from "@coxswain/types/core-v1";
import type { Errors } from "../checks.ts";
import { validateAnnotations, validateLabels } from "../metadata/parts.ts";
import { validatePodAnnotations, validateProfilesAgree } from "./annotations.ts";
import { validatePodSpec } from "./spec.ts";

export function validatePodTemplate(out: Errors, path: string, template: Readonly<PodTemplateSpec>): void {
  const { spec = { containers: [] } } = template;
  validateTemplateMetadata(out, path, template);
  validatePodSpec(out, `${path}.spec`, spec, { podName: undefined, isPod: false });
  validateProfilesAgree(out, `${path}.spec`, template.metadata?.annotations, spec);
  if (spec.ephemeralContainers?.length) {
    out.push(field.forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
}

/** Labels and annotations are reported without `metadata` in their paths: that is how Kubernetes does it. */
export function validateTemplateMetadata(out: Errors, path: string, template: Readonly<PodTemplateSpec>): void {
  const { metadata, spec = { containers: [] } } = template;
  if (metadata?.labels) validateLabels(out, metadata.labels, `${path}.labels`);
  if (!metadata?.annotations) return;
  validateAnnotations(out, metadata.annotations, `${path}.annotations`);
  validatePodAnnotations(out, `${path}.annotations`, metadata.annotations, spec);
}

/** Templates of controllers whose pods always restart. `kind` is named in the message. */
export function validateEndlessTemplate(out: Errors, path: string, template: Readonly<PodTemplateSpec> | undefined, kind: string): void {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") out.push(field.notSupported(`${path}.spec.restartPolicy`, restartPolicy ?? "", ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    out.push(field.forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
}
