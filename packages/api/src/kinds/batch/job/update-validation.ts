/** What of a job may change: how many pods run at once; while it is suspended, also where they may run. */
import { type FieldError, field } from "@coxswain/machinery";
import type { Job, JobSpec, JobStatus } from "@coxswain/types/batch-v1";
import type { Affinity, Container, PodSpec, PodTemplateSpec } from "@coxswain/types/core-v1";
import { type Errors, immutable, immutableAs, isSet } from "../../../validation/checks.ts";
import { validateSelectingSpec } from "../../../validation/job/spec.ts";
import { immutableSelector } from "../../../validation/label-selector.ts";
import { dropToleratedErrors } from "../../../validation/ratcheting.ts";
import { isTrue } from "./status-validation.ts";

const immutablePodSpec = immutableAs("PodSpec");
const immutablePodTemplateSpec = immutableAs("PodTemplateSpec");

const fixed = [
  ["completionMode", immutable],
  ["podFailurePolicy", immutableAs("PodFailurePolicy")],
  ["backoffLimitPerIndex", immutable],
  ["managedBy", immutable],
  ["successPolicy", immutableAs("SuccessPolicy")],
] as const;
const noSpec: JobSpec = { template: {} };

export function validateJobUpdate({ spec: next = noSpec }: Readonly<Job>, { spec: prev = noSpec, status }: Readonly<Job>): FieldError[] {
  // Kubernetes runs the spec's own rules once more for an update, and reports each error as often.
  const out: Errors = [...dropToleratedErrors(validateSelectingSpec(next), () => validateSelectingSpec(prev))];
  validateCompletions(out, next, prev);
  out.push(...immutableSelector(next.selector, prev.selector));
  if (isAtRest(prev, status)) {
    const allowed = withResources(withScheduling(prev.template, next.template).spec, next.template.spec);
    immutablePodSpec(out, "spec.template.spec", next.template.spec, allowed);
  } else immutablePodTemplateSpec(out, "spec.template", next.template, prev.template);
  for (const [name, validate] of fixed) validate(out, `spec.${name}`, next[name] ?? null, prev[name] ?? null);
  return out;
}

/** Suspended, and nothing of it runs any more. */
function isAtRest({ suspend }: Readonly<JobSpec>, status: Readonly<JobStatus> | undefined): boolean {
  const stopped = !status?.startTime || isTrue(status, "Suspended");
  return suspend === true && stopped && (status?.active ?? 0) === 0;
}

/** An Indexed job may be made larger or smaller as a whole. */
function validateCompletions(out: Errors, next: Readonly<JobSpec>, prev: Readonly<JobSpec>): void {
  const path = "spec.completions";
  if (next.completionMode !== "Indexed") immutable(out, path, next.completions ?? null, prev.completions ?? null);
  else if (isSet(next.completions) && next.completions !== prev.completions && next.completions !== next.parallelism) {
    out.push(field.invalid(path, next.completions, "can only be modified in tandem with spec.parallelism"));
  }
}

/** The old template with the new one's directives to the scheduler. */
function withScheduling(prev: Readonly<PodTemplateSpec>, next: Readonly<PodTemplateSpec>): PodTemplateSpec {
  const spec: PodSpec = { ...(prev.spec ?? { containers: [] }) };
  for (const name of ["nodeSelector", "tolerations", "schedulingGates"] as const) take(spec, next.spec ?? { containers: [] }, name);
  const affinity = withNodeAffinity(prev.spec?.affinity, next.spec?.affinity);
  if (affinity === undefined) delete spec.affinity;
  else spec.affinity = affinity;
  const metadata = { ...prev.metadata };
  for (const name of ["labels", "annotations"] as const) take(metadata, next.metadata ?? {}, name);
  return { ...prev, metadata, spec };
}

function take<T extends object, K extends keyof T>(to: T, from: Readonly<T>, name: K): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = from[name];
}

function withNodeAffinity(prev: Affinity | undefined, next: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: _, ...others } = prev ?? {};
  const affinity: Affinity = { ...others, ...(next?.nodeAffinity ? { nodeAffinity: next.nodeAffinity } : {}) };
  return Object.keys(affinity).length === 0 && !next ? undefined : affinity;
}

/** The old spec with the new one's resources, where containers are still the same. @see https://kep.k8s.io/5440 */
function withResources(prev: PodSpec | undefined, next: PodSpec | undefined): PodSpec {
  const spec: PodSpec = { ...(prev ?? { containers: [] }) };
  spec.containers = resized(spec.containers ?? [], next?.containers ?? []);
  if (spec.initContainers) spec.initContainers = resized(spec.initContainers, next?.initContainers ?? []);
  return spec;
}

function resized(prev: readonly Container[], next: readonly Container[]): Container[] {
  if (prev.length !== next.length) return [...prev];
  return prev.map((container, i) => {
    const now = next[i];
    if (now?.name !== container.name) return container;
    const copy = { ...container };
    take<Container, "resources">(copy, now, "resources");
    return copy;
  });
}
