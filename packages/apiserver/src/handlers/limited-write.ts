/** Subresources through which only some fields of an object can be written; everything else stays as it is. */
import type { KubeObject } from "@coxswain/machinery";
import { cloneJson } from "../clone.ts";

export type Limit = (next: KubeObject, current: Readonly<KubeObject>) => KubeObject;

interface Container {
  readonly name?: string;
  resources?: unknown;
  resizePolicy?: unknown;
}

interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: unknown;
}

const limits: Readonly<Record<string, Limit>> = {
  "pods/ephemeralcontainers": (next, current) => {
    const kept = keep(next, current);
    kept.spec = { ...(kept.spec as PodSpec), ephemeralContainers: (next.spec as PodSpec | undefined)?.ephemeralContainers };
    return kept;
  },
  "pods/resize": (next, current) => {
    const kept = keep(next, current);
    const [spec, asked] = [kept.spec as PodSpec, (next.spec ?? {}) as PodSpec];
    resize(spec.containers, asked.containers);
    resize(spec.initContainers, asked.initContainers);
    return kept;
  },
  "certificatesigningrequests/approval": (next, current) => {
    const kept = keep(next, current);
    const conditions = (next.status as { conditions?: unknown } | undefined)?.conditions;
    kept.status = { ...(kept.status as object), ...(conditions === undefined ? {} : { conditions }) };
    return kept;
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

function resize(containers: Container[] | undefined, asked: Container[] | undefined): void {
  for (const container of containers ?? []) {
    const wanted = asked?.find(({ name }) => name === container.name);
    if (wanted === undefined) continue;
    container.resources = wanted.resources;
    if (wanted.resizePolicy !== undefined) container.resizePolicy = wanted.resizePolicy;
  }
}
