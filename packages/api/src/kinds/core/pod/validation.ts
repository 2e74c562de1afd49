/** The rules for a pod itself, beside those that its spec shares with templates. */
import { type FieldError, field } from "@coxswain/machinery";
import type { Pod, PodSpec } from "@coxswain/types/core-v1";
import type { Errors } from "../../../validation/checks.ts";
import { validatePodAnnotations, validateProfilesAgree } from "../../../validation/pod-spec/annotations.ts";
import { validatePodSpec } from "../../../validation/pod-spec/spec.ts";

const noSpec: PodSpec = { containers: [] };

export function validatePod({ metadata, spec = noSpec }: Readonly<Pod>): FieldError[] {
  const out: Errors = [];
  validatePodAnnotations(out, "metadata.annotations", metadata?.annotations, spec);
  validatePodSpec(out, "spec", spec, { podName: metadata?.name, isPod: true });
  if (!spec.serviceAccountName) refuseTokens(out, spec);
  return out;
}

/** A token is some account's. */
function refuseTokens(out: Errors, spec: Readonly<PodSpec>): void {
  spec.volumes?.forEach(({ projected }, i) => {
    projected?.sources?.forEach(({ serviceAccountToken }, j) => {
      if (!serviceAccountToken) return;
      const path = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
      out.push(field.forbidden(path, "must not be specified when serviceAccountName is not set"));
    });
  });
}

export function validateNewPod({ metadata, spec = noSpec }: Readonly<Pod>): FieldError[] {
  const out: Errors = [];
  if (spec.ephemeralContainers?.length) out.push(field.forbidden("spec.ephemeralContainers", "cannot be set on create"));
  if (spec.nodeName && spec.schedulingGates?.length) {
    out.push(field.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  validateProfilesAgree(out, "spec", metadata?.annotations, spec);
  return out;
}
