/** `/pods/NAME/ephemeralcontainers`: writes the ephemeral containers of a Pod, and nothing else. */
import { type coreV1, podSubresourceRules } from "@coxswain/api";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { servePart } from "../../../handlers/serve-part.ts";
import type { SubresourceStrategy } from "../../../registry/subresource-strategy.ts";
import { withPreconditions } from "../../with-preconditions.ts";

const strategy: SubresourceStrategy = {
  prepareForUpdate(next, current) {
    const kept = withPreconditions(next, current) as coreV1.Pod;
    const { spec } = kept;
    if (spec === undefined) return kept;
    // What is left out is for the rules to refuse.
    const { ephemeralContainers: _, ...others } = spec;
    const wanted = (next as coreV1.Pod).spec?.ephemeralContainers;
    kept.spec = wanted === undefined ? others : { ...others, ephemeralContainers: wanted };
    return kept;
  },
  validateUpdate: (next, current) => podSubresourceRules.ephemeralcontainers(next as coreV1.Pod, current as coreV1.Pod),
};

export const podEphemeralContainers: SubresourceEffect = {
  on: "/pods/ephemeralcontainers",
  answers: "object",
  create: () => (ctx) => servePart(ctx, "limited", strategy),
};
