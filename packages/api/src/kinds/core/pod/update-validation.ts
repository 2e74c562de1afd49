/** What of a pod may change once it is there: images, a deadline, more tolerations, fewer gates. */
import { deepEqual, type FieldError, field } from "@coxswain/machinery";
import type { Container, EphemeralContainer, NodeAffinity, NodeSelectorTerm, Pod, PodSpec } from "@coxswain/types/core-v1";
import { internalDiff } from "../../../internal/internal-view.ts";
import { type Errors, isSet, requiredText } from "../../../validation/checks.ts";
import { mirrorPod, validateAnnotationChange, validatePodAnnotations } from "../../../validation/pod-spec/annotations.ts";
import { validateTolerations } from "../../../validation/pod-spec/scheduling.ts";
import { dropToleratedErrors } from "../../../validation/ratcheting.ts";

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");
const noSpec: PodSpec = { containers: [] };

/** Beside the rules for any pod. */
export function validatePodUpdate(next: Readonly<Pod>, prev: Readonly<Pod>): FieldError[] {
  const out: Errors = [];
  const { spec: nextSpec = noSpec, metadata } = next;
  const { spec: prevSpec = noSpec } = prev;
  validateAnnotationChange(out, "metadata.annotations", metadata?.annotations, prev.metadata?.annotations);
  out.push(...dropToleratedErrors(annotationErrors(next), () => annotationErrors(prev)));
  if (nextSpec === prevSpec) return out;
  for (const name of ["containers", "initContainers"] as const) {
    if ((nextSpec[name] ?? []).length !== (prevSpec[name] ?? []).length) {
      out.push(field.forbidden(`spec.${name}`, "pod updates may not add or remove containers"));
      return out;
    }
    nextSpec[name]?.forEach(({ image = "" }, i) => {
      validateImage(out, `spec.${name}[${i}].image`, image);
    });
  }
  if (!validateDeadlineChange(out, nextSpec.activeDeadlineSeconds, prevSpec.activeDeadlineSeconds)) return out;
  validateTolerationChange(out, nextSpec, prevSpec);
  validateGateChange(out, nextSpec, prevSpec);
  const allowed = withPreviousValues(out, nextSpec, prevSpec);
  if (!deepEqual(allowed, prevSpec)) {
    out.push(
      field.forbidden("spec", `pod updates may not change fields other than ${changeable}\n${internalDiff("PodSpec", prevSpec, allowed)}`),
    );
  }
  return out;
}

function annotationErrors({ metadata, spec = noSpec }: Readonly<Pod>): Errors {
  const out: Errors = [];
  validatePodAnnotations(out, "metadata.annotations", metadata?.annotations, spec);
  return out;
}

/** Kubernetes checks annotations, images and tolerations once more here, so a wrong one is reported twice. */
function validateImage(out: Errors, path: string, image: string): void {
  requiredText(out, path, image);
  if (image.trim() !== image) out.push(field.invalid(path, image, "must not have leading or trailing whitespace"));
}

/** From nothing to a deadline, or to an earlier one. False when there is no point in looking further. */
function validateDeadlineChange(out: Errors, next: number | undefined, prev: number | undefined): boolean {
  const path = "spec.activeDeadlineSeconds";
  if (!isSet(next)) {
    if (isSet(prev)) out.push(field.invalid(path, null, "must not update from a positive integer to nil value"));
    return true;
  }
  if (next < 0 || next > 2147483647) out.push(field.invalid(path, next, "must be between 0 and 2147483647, inclusive"));
  else if (isSet(prev) && prev < next) out.push(field.invalid(path, next, "must be less than or equal to previous value"));
  else return true;
  return false;
}

function validateTolerationChange(out: Errors, next: Readonly<PodSpec>, prev: Readonly<PodSpec>): void {
  const kept = (prev.tolerations ?? []).every(({ tolerationSeconds: _, ...old }) =>
    (next.tolerations ?? []).some(({ tolerationSeconds: __, ...other }) => deepEqual(old, other)),
  );
  if (!kept) out.push(field.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"));
  else if (next.tolerations) validateTolerations(out, "spec.tolerations", next.tolerations);
}

function validateGateChange(out: Errors, next: Readonly<PodSpec>, prev: Readonly<PodSpec>): void {
  next.schedulingGates?.forEach(({ name }, i) => {
    if (prev.schedulingGates?.some((g) => g.name === name)) return;
    out.push(field.forbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`));
  });
}

/** The new spec with the old values of everything that may change, so that what still differs may not. */
function withPreviousValues(out: Errors, next: Readonly<PodSpec>, prev: Readonly<PodSpec>): PodSpec {
  const spec: PodSpec = { ...next, containers: withImagesOf(next.containers ?? [], prev.containers ?? []) };
  if (next.initContainers) spec.initContainers = withImagesOf(next.initContainers, prev.initContainers ?? []);
  for (const name of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const) copyField(spec, prev, name);
  if ((prev.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1) {
    copyField(spec, prev, "terminationGracePeriodSeconds");
  }
  if (prev.schedulingGates?.length) takeGatedChanges(out, spec, next, prev);
  return spec;
}

function copyField<K extends keyof PodSpec>(to: PodSpec, from: Readonly<PodSpec>, name: K): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = from[name];
}

const withImagesOf = (next: readonly Container[], prev: readonly Container[]): Container[] =>
  next.map((container, i) => {
    const image = prev[i]?.image;
    return image === undefined ? container : { ...container, image };
  });

/** While gates keep it from the scheduler, a pod may become pickier about nodes. @see https://kep.k8s.io/3838 */
function takeGatedChanges(out: Errors, spec: PodSpec, next: Readonly<PodSpec>, prev: Readonly<PodSpec>): void {
  const selector = next.nodeSelector ?? {};
  if (Object.entries(prev.nodeSelector ?? {}).some(([key, value]) => selector[key] !== value)) {
    const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    out.push(field.invalid("spec.nodeSelector", next.nodeSelector ?? null, detail));
  }
  copyField(spec, prev, "nodeSelector");
  const [nextNodes, prevNodes] = [next.affinity?.nodeAffinity, prev.affinity?.nodeAffinity];
  if (deepEqual(nextNodes, prevNodes)) return;
  validateNodeAffinityChange(out, nextNodes, prevNodes);
  const { nodeAffinity: _, ...others } = next.affinity ?? {};
  const affinity = { ...others, ...(prevNodes ? { nodeAffinity: prevNodes } : {}) };
  if (Object.keys(affinity).length === 0 && !prev.affinity) delete spec.affinity;
  else spec.affinity = affinity;
}

function validateNodeAffinityChange(out: Errors, next: NodeAffinity | undefined, prev: NodeAffinity | undefined): void {
  const path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const prevTerms = prev?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nextTerms = next?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (prevTerms.length === 0) return;
  if (prevTerms.length !== nextTerms.length) {
    out.push(field.invalid(path, nextTerms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  prevTerms.forEach((term, i) => {
    if (onlyAdds(nextTerms[i], term)) return;
    out.push(field.invalid(`${path}[${i}]`, nextTerms[i], "only additions are allowed (no mutations or deletions)"));
  });
}

/** A term without requirements matches no node: adding one to it would widen it. */
function onlyAdds(next: NodeSelectorTerm | undefined, prev: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  if (lists.every((name) => !prev[name]?.length)) return lists.every((name) => !next?.[name]?.length);
  return lists.every((name) => deepEqual(next?.[name]?.slice(0, prev[name]?.length ?? 0) ?? [], prev[name] ?? []));
}

/** A write to the ephemeralcontainers subresource: containers are added, never changed. */
export function validateEphemeralContainersUpdate(next: Readonly<Pod>, prev: Readonly<Pod>): FieldError[] {
  if (prev.metadata?.annotations?.[mirrorPod] !== undefined) {
    return [field.forbidden("", "static pods do not support ephemeral containers")];
  }
  const out: Errors = [];
  const path = "spec.ephemeralContainers";
  const byName = new Map((next.spec?.ephemeralContainers ?? []).map((c): [string, EphemeralContainer] => [c.name, c]));
  for (const old of prev.spec?.ephemeralContainers ?? []) {
    const now = byName.get(old.name);
    if (now === undefined) out.push(field.forbidden(path, `existing ephemeral containers "${old.name}" may not be removed\n`));
    else if (!deepEqual(now, old)) {
      const how = internalDiff("EphemeralContainer", old, now);
      out.push(field.forbidden(path, `existing ephemeral containers "${old.name}" may not be changed\n${how}`));
    }
  }
  return out;
}
