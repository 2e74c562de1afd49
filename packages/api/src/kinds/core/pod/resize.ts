/**
 * Giving running containers more or less. Only CPU and memory can change without starting anything again.
 * @see https://kep.k8s.io/1287
 */
import { deepEqual, type FieldError, field } from "@coxswain/machinery";
import type { Container, Pod, PodSpec, ResourceRequirements } from "@coxswain/types/core-v1";
import { qosClass } from "../../../pod-spec/qos.ts";
import { isSidecar } from "../../../pod-spec/visit-containers.ts";
import type { Errors } from "../../../validation/checks.ts";
import { mirrorPod } from "../../../validation/pod-spec/annotations.ts";

const noSpec: PodSpec = { containers: [] };
const podResources = "spec.resources";

/** A write to the resize subresource; the server has already restored everything but resources and resize policies. */
export function validatePodResize(next: Readonly<Pod>, prev: Readonly<Pod>): FieldError[] {
  const { spec: nextSpec = noSpec } = next;
  const { spec: prevSpec = noSpec } = prev;
  if (prev.metadata?.annotations?.[mirrorPod] !== undefined) return [field.forbidden("", "static pods cannot be resized")];
  if (prevSpec.os?.name === "windows") return [field.forbidden("", "windows pods cannot be resized")];
  const out: Errors = [];
  if (qosClass(nextSpec) !== (prev.status?.qosClass ?? qosClass(prevSpec))) {
    out.push(field.invalid("spec", next.status?.qosClass ?? "", "Pod QOS Class may not change as a result of resizing"));
  }
  const running = prev.status?.containerStatuses?.find((c) => c.state?.running);
  if (running && !running.resources) out.push(field.forbidden("spec", "Pod running on node without support for resize"));
  if (hasResources(prevSpec) || hasResources(nextSpec)) validatePodLevel(out, nextSpec.resources, prevSpec.resources);
  if (prev.status?.nodeAllocatableResourceClaimStatuses?.length) {
    out.push(field.forbidden("spec", "pods with node allocatable resource claims cannot be resized"));
  }
  const before = out.length;
  validateOrder(out, "containers", nextSpec, prevSpec);
  validateOrder(out, "initContainers", nextSpec, prevSpec);
  if (out.length > before) return out;
  for (const list of ["initContainers", "containers"] as const) {
    nextSpec[list]?.forEach((container, i) => {
      refuseRemoval(out, `spec.${list}[${i}].resources`, container.resources, prevSpec[list]?.[i]?.resources);
    });
  }
  nextSpec.containers.forEach((container, i) => {
    if (changesMore(container, prevSpec.containers[i])) out.push(field.forbidden("spec", "only cpu and memory resources are mutable"));
  });
  nextSpec.initContainers?.forEach((container, i) => {
    validateInitContainer(out, `spec.initContainers[${i}]`, container, prevSpec.initContainers?.[i]);
  });
  return out;
}

const hasResources = ({ resources }: Readonly<PodSpec>): boolean =>
  Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;

/** @see https://kep.k8s.io/5419 */
function validatePodLevel(out: Errors, next: ResourceRequirements | undefined, prev: ResourceRequirements | undefined): void {
  if (prev && !next) return void out.push(field.forbidden("spec.resources", "pod-level resources cannot be removed"));
  refuseRemoval(out, podResources, next, prev);
  const only = "only cpu and memory resources are mutable at pod-level";
  if (!deepEqual(fixedAmounts(next), fixedAmounts(prev))) out.push(field.forbidden("spec", only));
}

function validateOrder(out: Errors, list: "containers" | "initContainers", next: Readonly<PodSpec>, prev: Readonly<PodSpec>): void {
  const now = next[list] ?? [];
  const then = prev[list] ?? [];
  if (now.length !== then.length) return void out.push(field.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`));
  now.forEach(({ name }, i) => {
    if (name !== then[i]?.name) out.push(field.forbidden(`spec.${list}[${i}].name`, `${list} may not be renamed or reordered on resize`));
  });
}

function validateInitContainer(out: Errors, path: string, next: Container, prev: Container | undefined): void {
  if (changesMore(next, prev)) {
    out.push(field.forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable"));
  }
  if (isSidecar(next) || deepEqual(next, prev)) return;
  for (const { restartPolicy } of next.resizePolicy ?? []) {
    if (restartPolicy !== "RestartContainer") continue;
    out.push(field.forbidden(path, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"));
  }
}

function refuseRemoval(out: Errors, path: string, next: ResourceRequirements | undefined, prev: ResourceRequirements | undefined): void {
  const what = path === podResources ? "pod-level resource" : "resource";
  for (const which of ["requests", "limits"] as const) {
    const now = next?.[which] ?? {};
    const removed = Object.keys(prev?.[which] ?? {}).some((name) => !Object.hasOwn(now, name));
    if (removed) out.push(field.forbidden(`${path}.${which}`, `${what} ${which} cannot be removed`));
  }
}

/** Kubernetes compares without the wanted claims, so that who has some cannot be resized. */
const changesMore = ({ resources: wanted, ...next }: Container, { resources, ...prev }: Container = { name: "" }): boolean =>
  !deepEqual(next, prev) || !deepEqual(fixedAmounts(wanted), fixedAmounts(resources)) || (resources?.claims?.length ?? 0) > 0;

/** What a resize may not change. */
const fixedAmounts = (resources: ResourceRequirements | undefined) =>
  Object.fromEntries(
    (["requests", "limits"] as const).map((which) => {
      const { cpu: _, memory: __, ...others } = resources?.[which] ?? {};
      return [which, others];
    }),
  );
