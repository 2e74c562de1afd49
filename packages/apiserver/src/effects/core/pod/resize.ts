/**
 * `/pods/NAME/resize`: writes the resources of a Pod and of its containers, and nothing else.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
 */
import { type coreV1, podSubresourceRules } from "@coxswain/api";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { servePart } from "../../../handlers/serve-part.ts";
import type { SubresourceStrategy } from "../../../registry/subresource-strategy.ts";
import { withPreconditions } from "../../with-preconditions.ts";

const strategy: SubresourceStrategy = {
  prepareForUpdate(next, current) {
    const kept = withPreconditions(next, current) as coreV1.Pod;
    const { spec: asked } = next as coreV1.Pod;
    const { spec } = kept;
    if (spec === undefined || asked === undefined) return kept;
    spec.containers = resized(spec.containers, asked.containers ?? []);
    if (spec.initContainers !== undefined || asked.initContainers !== undefined) {
      spec.initContainers = resized(spec.initContainers ?? [], asked.initContainers ?? []);
    }
    if (asked.resources === undefined) delete spec.resources;
    else spec.resources = asked.resources;
    return kept;
  },
  validateUpdate: (next, current) => podSubresourceRules.resize(next as coreV1.Pod, current as coreV1.Pod),
};

/** Containers that come, go or change places are left to the rules to refuse. */
function resized(containers: readonly coreV1.Container[], asked: readonly coreV1.Container[]): coreV1.Container[] {
  if (containers.length !== asked.length || containers.some(({ name }, i) => name !== asked[i]?.name)) return [...asked];
  return containers.map(({ resources: _, resizePolicy: __, ...container }, i) => {
    const { resources, resizePolicy } = asked[i] ?? {};
    return { ...container, ...(resources ? { resources } : {}), ...(resizePolicy ? { resizePolicy } : {}) };
  });
}

export const podResize: SubresourceEffect = {
  on: "/pods/resize",
  answers: "object",
  create: () => (ctx) => servePart(ctx, "limited", strategy),
};
