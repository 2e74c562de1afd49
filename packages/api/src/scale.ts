/**
 * The scale subresource: one shape for everything that has replicas.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/autoscaling-resources/scale-v1/
 */
import {
  type FieldError,
  field,
  type KubeObject,
  type LabelSelectorObject,
  labelSelectorFromObject,
  type ObjectMeta,
} from "@coxswain/machinery";
import type { Scale } from "./types/autoscaling-v1.ts";

export type { Scale } from "./types/autoscaling-v1.ts";

/** The field that scale writes set, for whoever records who owns it. */
export const scaleReplicasPath: readonly string[] = ["spec", "replicas"];

/** The parent as a Scale: of its metadata only what names it and its version. */
export function toScale(parent: Readonly<KubeObject>, resource: string): Scale {
  const { spec = {}, status = {} } = parent as Scalable;
  const selector = labelSelectorFromObject(
    resource === "replicationcontrollers" ? { matchLabels: (spec.selector ?? {}) as LabelMap } : (spec.selector as LabelSelectorObject),
  ).toString();
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: identityOf(parent.metadata ?? {}),
    spec: { ...((spec.replicas ?? 0) === 0 ? {} : { replicas: spec.replicas ?? 0 }) },
    status: { replicas: status.replicas ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

/**
 * The parent with the scale's replicas and preconditions: its resourceVersion, or none for an unconditional write. That
 * the scale's uid is the parent's is for the caller to check. Returns a new object; the rest is shared.
 */
export function applyScale<T extends KubeObject>(parent: Readonly<T>, scale: Readonly<Scale>): T {
  const { resourceVersion: _, ...metadata } = parent.metadata ?? {};
  const { resourceVersion } = scale.metadata ?? {};
  return {
    ...(parent as T),
    metadata: { ...metadata, ...(resourceVersion === undefined || resourceVersion === "" ? {} : { resourceVersion }) },
    spec: { ...(parent as Scalable).spec, replicas: scale.spec?.replicas ?? 0 },
  };
}

export function* validateScale(scale: Readonly<Scale>): Generator<FieldError> {
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas < 0) yield field.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
}

type LabelMap = Readonly<Record<string, string>>;

interface Scalable {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
  readonly status?: { readonly replicas?: number };
}

const identityOf = ({ name, namespace, uid, resourceVersion, creationTimestamp }: ObjectMeta): ObjectMeta => ({
  ...(name === undefined ? {} : { name }),
  ...(namespace === undefined ? {} : { namespace }),
  ...(uid === undefined ? {} : { uid }),
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
  ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
});
