/**
 * Resources within custom resources: their kind, apiVersion and metadata have the types that all objects have.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
 */

import type { FieldError, StructType } from "@coxswain/machinery";
import {
  cloneJson,
  DecodeError,
  decodeValue,
  deepEqual,
  isObject,
  type JsonObject,
  type ObjectMeta,
  parseApiVersion,
  validateDns1035Label,
} from "@coxswain/machinery";
import { entryOf, fieldPath, type Path, propertyOf } from "../structural/field-path.ts";
import type { SchemaNode } from "../structural/node.ts";
import { invalidValue, requiredValue, showValue } from "../validate/problem.ts";
import type { Reading } from "./reading.ts";

export const isMetaField = (key: string): boolean => key === "metadata" || key === "kind" || key === "apiVersion";

/** @throws DecodeError when something has the wrong type and is to be refused */
export function coerceEmbedded(object: JsonObject, path: Path | undefined, reading: Reading): void {
  for (const name of ["apiVersion", "kind"]) {
    const value = object[name];
    if (!Object.hasOwn(object, name) || typeof value === "string") continue;
    if (reading.malformed === "refused") throw wrong(path, name, value, "must be a string");
    delete object[name];
    reading.changed = true;
  }
  if (Object.hasOwn(object, "metadata")) coerceMetadata(object, path, reading);
}

function coerceMetadata(object: JsonObject, path: Path | undefined, reading: Reading): void {
  const { metadata } = object;
  if (reading.malformed === "dropped") {
    const kept = isObject(metadata) ? wellFormed(reading.metadata, metadata) : metadata === null ? {} : metadata;
    if (deepEqual(kept, metadata)) return;
    object.metadata = kept;
    reading.changed = true;
    return;
  }
  try {
    object.metadata = metadata === null ? {} : decodeMetadata(reading, metadata, fieldPath(path, "metadata"));
  } catch (error) {
    if (error instanceof DecodeError) throw wrong(path, "metadata", metadata, error.message);
    throw error;
  }
}

/** One step stands for the whole way, as Go's errors begin at the metadata. */
const decodeMetadata = (reading: Reading, metadata: unknown, at: string): unknown =>
  decodeValue(reading.metadata, metadata, reading.embeddedReport, entryOf(undefined, at));

/** What of the metadata can be read, field by field. */
function wellFormed(type: StructType, metadata: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const key in metadata) {
    if (!type.fields.has(key)) continue;
    try {
      Object.assign(kept, decodeValue(type, { [key]: cloneJson(metadata[key]) }, undefined));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return kept;
}

const wrong = (path: Path | undefined, name: string, value: unknown, detail: string): DecodeError =>
  new DecodeError(`${fieldPath(path, name)}: Invalid value: ${showValue(value)}: ${detail}`);

/** The rules for the metadata of every object; errors name fields from `metadata` on. */
export type MetadataCheck = (metadata: Readonly<ObjectMeta>) => readonly FieldError[];

/** How embedded resources are checked, and what was found. */
export interface EmbeddedCheck {
  readonly metadata: StructType;
  readonly checkMetadata: MetadataCheck | undefined;
  readonly errors: FieldError[];
}

/** What is wrong with kind, apiVersion and metadata of embedded resources. */
export function checkEmbedded(node: SchemaNode, value: unknown, path: Path | undefined, check: EmbeddedCheck): void {
  if (!node.hasEmbedded || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items?.hasEmbedded) for (const [i, item] of value.entries()) checkEmbedded(items, item, entryOf(path, i), check);
    return;
  }
  const object = value as JsonObject;
  if (node.embedded) checkResource(object, path, check);
  for (const key in object) {
    const property = node.properties.get(key);
    const child = property ?? node.additional;
    if (child?.hasEmbedded) checkEmbedded(child, object[key], property === undefined ? entryOf(path, key) : propertyOf(path, key), check);
  }
}

function checkResource(object: JsonObject, path: Path | undefined, check: EmbeddedCheck): void {
  const { errors } = check;
  for (const [name, problemOf] of textRules) {
    const at = fieldPath(path, name);
    const value = object[name];
    if (!Object.hasOwn(object, name)) errors.push(requiredValue(at));
    else if (typeof value !== "string") errors.push(invalidValue(at, value, "must be a string"));
    else {
      const problem = value === "" ? "must not be empty" : problemOf(value);
      if (problem !== undefined) errors.push(invalidValue(at, value, problem));
    }
  }
  const { metadata } = object;
  if (metadata !== undefined && metadata !== null) checkMetadata(metadata, path, check);
}

/** Defaults may hold what bodies may not. */
function checkMetadata(metadata: unknown, path: Path | undefined, check: EmbeddedCheck): void {
  try {
    const read = decodeValue(check.metadata, cloneJson(metadata), undefined) as ObjectMeta;
    for (const error of check.checkMetadata?.(read) ?? []) check.errors.push({ ...error, field: fieldPath(path, error.field) });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    check.errors.push(invalidValue(fieldPath(path, "metadata"), metadata, error.message));
  }
}

const textRules: readonly (readonly [name: string, problemOf: (value: string) => string | undefined])[] = [
  ["apiVersion", (value) => (parseApiVersion(value) === undefined ? `unexpected GroupVersion string: ${value}` : undefined)],
  [
    "kind",
    (value) => {
      const problems = validateDns1035Label(value.toLowerCase());
      return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
    },
  ],
];
