/**
 * One walk that prunes, drops nulls and fills in defaults. Kubernetes walks once for each of these, with the same outcome.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 */

import { cloneJson, DecodeError, type JsonObject, setOwn } from "@coxswain/machinery";
import { entryOf, type Path, propertyOf } from "../structural/field-path.ts";
import { type SchemaNode, unknownNode } from "../structural/node.ts";
import { coerceEmbedded, isMetaField } from "./embedded.ts";
import { Reading } from "./reading.ts";

const maxDepth = 1000;

/** The root, in place. Its kind, apiVersion and metadata are the caller's. */
export function readRoot(node: SchemaNode, object: JsonObject, reading: Reading): void {
  const dropped = readFields(node, object, undefined, node.preserve, reading);
  if (dropped !== undefined) for (const key of dropped) delete object[key];
  fillDefaults(node, object, reading);
}

function readValue(node: SchemaNode, value: object, path: Path, preserve: boolean, reading: Reading): object {
  if (path.depth > maxDepth) throw new DecodeError("exceeded max depth");
  if (Array.isArray(value)) return readList(node, value, path, preserve, reading);
  const object = value as JsonObject;
  const dropped = readFields(node, object, path, preserve, reading);
  const kept = dropped === undefined ? object : without(object, dropped);
  if (node.embedded) coerceEmbedded(kept, path, reading);
  fillDefaults(node, kept, reading);
  return kept;
}

/** Returns the keys to drop. Deleting them from a nested object would cost more than copying the others. */
function readFields(
  node: SchemaNode,
  object: JsonObject,
  path: Path | undefined,
  preserve: boolean,
  reading: Reading,
): string[] | undefined {
  let dropped: string[] | undefined;
  const { properties, additional } = node;
  const resource = node.embedded || path === undefined;
  for (const key in object) {
    const value = object[key];
    const property = properties.get(key);
    const child = property ?? additional;
    const isMeta = resource && isMetaField(key);
    if (isMeta ? value !== null || child === undefined || child.nullable : child !== undefined) {
      if (isMeta || child === undefined || typeof value !== "object") continue;
      if (value !== null) {
        if (child.free) continue;
        const at = property === undefined ? entryOf(path, key) : propertyOf(path, key);
        const read = readValue(child, value, at, child.preserve, reading);
        if (read !== value) object[key] = read;
        continue;
      }
      if (child.nullable) continue;
      if (child.default !== undefined) {
        if (reading.fillsDefaults) object[key] = freshDefault(child, reading);
        continue;
      }
      if (reading.keepsNulls) continue;
      reading.changed = true;
    } else if (isMeta) reading.changed = true;
    else if (preserve) continue;
    else reading.unknownField(path, key);
    dropped ??= [];
    dropped.push(key);
  }
  return dropped;
}

/** Where unknown fields stay they stay in the items too, one level further. */
function readList(node: SchemaNode, list: unknown[], path: Path, preserve: boolean, reading: Reading): unknown[] {
  const item = node.items ?? (preserve ? undefined : unknownNode);
  if (item === undefined) return list;
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== "object") continue;
    if (value !== null) {
      const read = readValue(item, value, entryOf(path, i), preserve || item.preserve, reading);
      if (read !== value) list[i] = read;
    } else if (!item.nullable && item.default !== undefined && reading.fillsDefaults) list[i] = freshDefault(item, reading);
  }
  return list;
}

function fillDefaults(node: SchemaNode, object: JsonObject, reading: Reading): void {
  if (!reading.fillsDefaults) return;
  for (const [name, child] of node.defaulted) {
    if (!Object.hasOwn(object, name) && reading.admits(child.default)) setOwn(object, name, freshDefault(child, reading));
  }
}

/** Defaults as they are served: with unknown fields pruned and the defaults within filled in. */
const prepared = new WeakMap<SchemaNode, unknown>();

function freshDefault(node: SchemaNode, reading: Reading): unknown {
  reading.changed = true;
  if (typeof node.default !== "object" || node.default === null) return node.default;
  let value = prepared.get(node);
  if (value === undefined) {
    const copy = cloneJson(node.default) as object;
    value = readValue(node, copy, entryOf(undefined, ""), node.preserve, new Reading(reading.metadata, { malformed: "dropped" }));
    prepared.set(node, value);
  }
  return cloneJson(value);
}

function without(object: JsonObject, dropped: readonly string[]): JsonObject {
  const gone = dropped.length > 8 ? new Set(dropped) : undefined;
  const kept: JsonObject = {};
  for (const key in object) if (!(gone?.has(key) ?? dropped.includes(key))) setOwn(kept, key, object[key]);
  return kept;
}
