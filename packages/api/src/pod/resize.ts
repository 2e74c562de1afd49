/**
 * Giving running containers more or less. Only CPU and memory can change without starting anything again.
 * @see https://kep.k8s.io/1287
 */
import { deepEqual, type FieldError, field } from "@coxswain/machinery";
import type { Container, Pod, PodSpec, ResourceRequirements } from "../types/core-v1.ts";
import { mirrorPod } from "./annotations.ts";
import type { Errors } from "./checks.ts";
import { qosClass } from "./qos.ts";
import { isSidecar } from "./visit-containers.ts";

const noSpec: PodSpec = { containers: [] };

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
  const before = out.length;
  validateOrder(out, "containers", nextSpec, prevSpec);
  validateOrder(out, "initContainers", nextSpec, prevSpec);
  if (out.length > before) return out;
  nextSpec.containers.forEach((container, i) => {
    validateContainer(out, `spec.containers[${i}]`, container, prevSpec.containers[i], "only cpu and memory resources are mutable");
  });
  nextSpec.initContainers?.forEach((container, i) => {
    validateInitContainer(out, `spec.initContainers[${i}]`, container, prevSpec.initContainers?.[i]);
  });
  return out;
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
  if (isSidecar(next)) validateContainer(out, path, next, prev, "only cpu and memory resources for sidecar containers are mutable");
  else if (!deepEqual(next, prev)) out.push(field.forbidden("spec", "resources for non-sidecar init containers are immutable"));
}

function validateContainer(out: Errors, path: string, next: Container, prev: Container | undefined, detail: string): void {
  for (const which of ["requests", "limits"] as const) {
    const now = next.resources?.[which] ?? {};
    const removed = Object.keys(prev?.resources?.[which] ?? {}).some((name) => !Object.hasOwn(now, name));
    if (removed) out.push(field.forbidden(`${path}.resources.${which}`, `resource ${which} cannot be removed`));
  }
  if (!deepEqual(fixedPart(next), prev && fixedPart(prev))) out.push(field.forbidden("spec", detail));
}

/** The container without what a resize may change. */
function fixedPart({ resources, resizePolicy: _, ...rest }: Container): object {
  return { ...rest, resources: { claims: resources?.claims ?? [], ...fixedAmounts(resources) } };
}

const fixedAmounts = (resources: ResourceRequirements | undefined) =>
  Object.fromEntries(
    (["requests", "limits"] as const).map((which) => {
      const { cpu: _, memory: __, ...others } = resources?.[which] ?? {};
      return [which, others];
    }),
  );
