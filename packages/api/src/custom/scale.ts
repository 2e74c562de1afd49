/** The scale subresource of a custom resource: its numbers live wherever the definition says. */
import { type FieldError, field, internalError, isObject, type KubeObject } from "@coxswain/machinery";
import type { CustomResourceSubresourceScale } from "@coxswain/types/apiextensions-v1";
import type { Scale } from "@coxswain/types/autoscaling-v1";
import { accessorProblem, identityOf } from "../kinds/autoscaling/scale/scale.ts";
import type { ScalePaths } from "../registry/resource-definition.ts";

/** `.spec.replicas` as the names on the way. */
export const fieldPathOf = (path: string): readonly string[] => path.replace(/^\./, "").split(".");

/**
 * A custom resource as a Scale. `whenAbsent` replicas are shown where it says none.
 * @throws StatusError when there is no number of replicas to show, nor one to show instead
 */
export function toCustomScale(parent: Readonly<KubeObject>, paths: ScalePaths, whenAbsent?: number): Scale {
  const replicas = integerAt(parent, paths.specReplicas) ?? whenAbsent;
  if (replicas === undefined) throw internalError(`the spec replicas field ".${paths.specReplicas.join(".")}" does not exist`);
  const selector = paths.labelSelector === undefined ? undefined : valueAt(parent, paths.labelSelector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: identityOf(parent.metadata ?? {}),
    spec: { ...(replicas === 0 ? {} : { replicas }) },
    status: { replicas: integerAt(parent, paths.statusReplicas) ?? 0, ...(typeof selector === "string" && selector ? { selector } : {}) },
  };
}

export const validateScaleSpec = (obj: Readonly<KubeObject>, { specReplicasPath }: CustomResourceSubresourceScale): FieldError[] =>
  validateReplicas(obj, specReplicasPath);

export function validateScaleStatus(
  obj: Readonly<KubeObject>,
  { statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale,
): FieldError[] {
  const errors = validateReplicas(obj, statusReplicasPath);
  if (labelSelectorPath !== undefined) {
    const problem = problemAt(obj, fieldPathOf(labelSelectorPath), (value) => typeof value === "string", "string");
    if (problem !== undefined) errors.push(field.invalid(labelSelectorPath, "", problem));
  }
  return errors;
}

const largest = 0x7fffffff;

function validateReplicas(obj: Readonly<KubeObject>, path: string): FieldError[] {
  const names = fieldPathOf(path);
  const problem = problemAt(obj, names, isInteger, "int64");
  if (problem !== undefined) return [field.invalid(path, 0, problem)];
  const replicas = valueAt(obj, names) as number | bigint | undefined;
  if (replicas === undefined) return [];
  if (replicas < 0) return [field.invalid(path, replicas, "should be a non-negative integer")];
  return replicas > largest ? [field.invalid(path, replicas, `should be less than or equal to ${largest}`)] : [];
}

function integerAt(obj: Readonly<KubeObject>, path: readonly string[]): number | undefined {
  const problem = problemAt(obj, path, isInteger, "int64");
  if (problem !== undefined) throw internalError(problem);
  const value = valueAt(obj, path);
  return value === undefined ? undefined : Number(value);
}

function valueAt(obj: unknown, path: readonly string[]): unknown {
  let at = obj;
  for (const name of path) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

/** What Go's accessor says of a value, or of what is on the way to it, that is of another type. */
function problemAt(obj: unknown, path: readonly string[], fits: (value: unknown) => boolean, wanted: string): string | undefined {
  let at = obj;
  for (const [i, name] of path.entries()) {
    if (at === null) return undefined;
    if (!isObject(at)) return accessorProblem(at, path.slice(0, i), "map[string]interface{}");
    if (!Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return fits(at) ? undefined : accessorProblem(at, path, wanted);
}

const isInteger = (value: unknown): boolean => typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
