/**
 * The scale subresource: one shape for everything that has replicas.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/autoscaling-resources/scale-v1/
 */
import {
  type FieldError,
  field,
  formatGoValue,
  goDynamicType,
  internalError,
  type KubeObject,
  type LabelSelectorObject,
  labelSelectorFromObject,
  type ObjectMeta,
} from "@coxswain/machinery";
import type { Scale } from "@coxswain/types/autoscaling-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { validateObjectMeta } from "../../../validation/metadata/object-meta.ts";

export type { Scale } from "@coxswain/types/autoscaling-v1";

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
export function applyScale<T extends KubeObject>(parent: Readonly<T>, scale: Readonly<Scale>, path = scaleReplicasPath): T {
  const { resourceVersion: _, ...metadata } = parent.metadata ?? {};
  const { resourceVersion } = scale.metadata ?? {};
  return {
    ...withReplicas(parent, scale.spec?.replicas ?? 0, path),
    metadata: { ...metadata, ...(resourceVersion === undefined || resourceVersion === "" ? {} : { resourceVersion }) },
  };
}

/** A new object that shares the rest. @throws StatusError where something else stands in the way */
function withReplicas<T extends KubeObject>(parent: Readonly<T>, replicas: number, path: readonly string[]): T {
  return replaced(parent, replicas, path, 0) as T;
}

function replaced(holder: unknown, value: number, path: readonly string[], depth: number): object {
  if (holder !== undefined && (typeof holder !== "object" || holder === null || Array.isArray(holder)))
    throw internalError(accessorProblem(holder, path.slice(0, depth), "map[string]interface{}"));
  const name = path[depth] ?? "";
  const fields = (holder ?? {}) as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: depth === path.length - 1 ? value : replaced(fields[name], value, path, depth + 1) };
}

/** What Go's accessors say of a value that is of another type than the path promises. */
export const accessorProblem = (value: unknown, path: readonly string[], wanted: string): string =>
  `.${path.join(".")} accessor error: ${formatGoValue(value)} is of the type ${goDynamicType(value)}, expected ${wanted}`;

/** `metadata` is checked as any object's is. */
export function* validateScale(scale: Readonly<Scale>): Generator<FieldError> {
  yield* validateObjectMeta(scale as KubeObject, { namespaced: true });
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas < 0) yield field.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
}

/** How a Scale is shown in a Table. */
export const scaleKind = defineKind<Scale>({
  type: "io.k8s.api.autoscaling.v1.Scale",
  columns: defineColumns<Scale>([
    { ...nameColumn, format: "" },
    { name: "Desired", type: "integer", description: "How many Pods are wanted.", value: ({ spec }) => spec?.replicas ?? 0 },
    {
      name: "Available",
      type: "integer",
      description: "How many Pods have been ready for long enough to count.",
      value: ({ status }) => status?.replicas ?? 0,
    },
    ageColumn,
  ]),
});

type LabelMap = Readonly<Record<string, string>>;

interface Scalable {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
  readonly status?: { readonly replicas?: number };
}

/** Of an object's metadata what its Scale shows. */
export const identityOf = ({ name, namespace, uid, resourceVersion, creationTimestamp }: ObjectMeta): ObjectMeta => ({
  ...(name === undefined ? {} : { name }),
  ...(namespace === undefined ? {} : { namespace }),
  ...(uid === undefined ? {} : { uid }),
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
  ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
});
