/** Subresources through which only some fields of an object can be written; everything else stays as it is. */
import { type certificatesV1, type coreV1, podSubresourceRules, prepareApproval, validateApproval } from "@coxswain/api";
import type { FieldError, KubeObject } from "@coxswain/machinery";
import { cloneJson } from "../storage/clone-json.ts";

export interface Limit {
  /** The current object with what the subresource may change taken from the wanted one. `now` is RFC 3339. */
  take(next: KubeObject, current: Readonly<KubeObject>, now: string): KubeObject;
  validate(next: Readonly<KubeObject>, current: Readonly<KubeObject>): readonly FieldError[];
}

const limits: Readonly<Record<string, Limit>> = {
  "pods/ephemeralcontainers": {
    take(next, current) {
      const kept = keep(next, current) as coreV1.Pod;
      const { spec } = kept;
      if (spec === undefined) return kept;
      // What is left out is for the rules to refuse.
      const { ephemeralContainers: _, ...others } = spec;
      const wanted = (next as coreV1.Pod).spec?.ephemeralContainers;
      kept.spec = wanted === undefined ? others : { ...others, ephemeralContainers: wanted };
      return kept;
    },
    validate: (next, current) => podSubresourceRules.ephemeralcontainers(next as coreV1.Pod, current as coreV1.Pod),
  },
  "pods/resize": {
    take(next, current) {
      const kept = keep(next, current) as coreV1.Pod;
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
    validate: (next, current) => podSubresourceRules.resize(next as coreV1.Pod, current as coreV1.Pod),
  },
  "certificatesigningrequests/approval": {
    /** Metadata may be written here too. */
    take(next, current, now) {
      prepareApproval(next as certificatesV1.CertificateSigningRequest, current as certificatesV1.CertificateSigningRequest, now);
      return next;
    },
    validate: (next, current) =>
      validateApproval(next as certificatesV1.CertificateSigningRequest, current as certificatesV1.CertificateSigningRequest),
  },
};

/** Undefined for subresources that are not of this sort. */
export const limitOf = (resource: string, subresource: string): Limit | undefined => limits[`${resource}/${subresource}`];

/** The current object with the preconditions of the wanted one. */
function keep(next: KubeObject, current: Readonly<KubeObject>): KubeObject {
  const kept = cloneJson(current as KubeObject);
  const { uid, resourceVersion } = next.metadata ?? {};
  const { resourceVersion: _, ...meta } = kept.metadata ?? {};
  kept.metadata = { ...meta, ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  return kept;
}

/** Containers that come, go or change places are left to the rules to refuse. */
function resized(containers: readonly coreV1.Container[], asked: readonly coreV1.Container[]): coreV1.Container[] {
  if (containers.length !== asked.length || containers.some(({ name }, i) => name !== asked[i]?.name)) return [...asked];
  return containers.map(({ resources: _, resizePolicy: __, ...container }, i) => {
    const { resources, resizePolicy } = asked[i] ?? {};
    return { ...container, ...(resources ? { resources } : {}), ...(resizePolicy ? { resizePolicy } : {}) };
  });
}
