/**
 * The hand-over from kubectl's own apply, which keeps in an annotation what it applied, to server-side apply.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply
 */

import type { KubeObject } from "@coxswain/machinery";
import { canonicalJson, isObject, type JsonObject, parseJson } from "@coxswain/machinery";
import { difference, type FieldSet } from "../field-path/field-set.ts";
import type { MergeSchema } from "../schema/merge-schema.ts";
import { findShapeError } from "../typed/check-typed.ts";
import { compareValuesOf } from "../typed/compare.ts";
import { fieldsOf } from "../typed/fields-of.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The only manager whose annotation counts. */
export const handedOverBy = "kubectl";

/** Kubernetes' limit for all annotations of an object, names and values, in bytes. */
const maxAnnotationBytes = 256 * 1024;

/**
 * What the annotation says that kubectl applied and that is still as it applied it: conflicts on those fields are none.
 * Undefined where the annotation says nothing, or nothing that fits the request.
 */
export function lastAppliedFields(live: Readonly<KubeObject>, schema: MergeSchema, apiVersion: string): FieldSet | undefined {
  const applied = parseAnnotation(live);
  if (applied === undefined || applied.apiVersion !== apiVersion) return undefined;
  if ([applied, live].some((object) => findShapeError(schema, object, { duplicates: "refused" }) !== undefined)) return undefined;
  const { added, modified, removed } = compareValuesOf(schema, applied, live);
  return [modified, added, removed].reduce(difference, fieldsOf(schema, applied));
}

function parseAnnotation(live: Readonly<KubeObject>): JsonObject | undefined {
  const text = live.metadata?.annotations?.[annotation] ?? "";
  if (text === "") return undefined;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with what was applied now in the annotation, where it has the annotation. */
export function withLastApplied(object: Readonly<KubeObject>, applied: Readonly<KubeObject>): Readonly<KubeObject> {
  const annotations = textsOf(object.metadata?.annotations);
  if ((annotations[annotation] ?? "") === "") return object;
  annotations[annotation] = annotationOf(applied);
  if (bytesOf(annotations) > maxAnnotationBytes) delete annotations[annotation];
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function annotationOf(applied: Readonly<KubeObject>): string {
  const { annotations, ...metadata } = applied.metadata ?? {};
  const others = textsOf(annotations);
  delete others[annotation];
  const kept = annotations === undefined || annotations === null ? {} : { annotations: others };
  return `${canonicalJson({ ...applied, metadata: { ...metadata, ...kept } })}\n`;
}

/** Annotations that are null are empty. */
const textsOf = (annotations: Readonly<Record<string, string | null>> | null | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations ?? {}).map(([name, text]) => [name, text ?? ""]));

function bytesOf(annotations: Readonly<Record<string, string>>): number {
  const encoder = new TextEncoder();
  let total = 0;
  for (const [name, value] of Object.entries(annotations)) total += encoder.encode(name).length + encoder.encode(value).length;
  return total;
}
