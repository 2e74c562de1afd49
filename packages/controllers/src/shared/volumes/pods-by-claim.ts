/** Finds the Pods that use a claim. */
import type { coreV1 } from "@coxswain/api";
import type { Indexes } from "@coxswain/client";

/** By `namespace/name` of the claim. */
export const podsByClaim = "claims";

export const podIndexes: Indexes<coreV1.Pod> = {
  [podsByClaim]: (pod) => claimsOf(pod).map((name) => `${pod.metadata?.namespace}/${name}`),
};

/** Those that it names, and those that are made for it alone. */
export const claimsOf = ({ metadata, spec }: coreV1.Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata?.name}-${name}`];
  });
