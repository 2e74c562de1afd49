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
  new Reader(reading).readRoot(node, object);
}

/** Where `preserve` is a parameter it says whether unknown fields stay, which lists decide for their items. */
class Reader {
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  readRoot(node: SchemaNode, object: JsonObject): void {
    const dropped = this.#readFields(node, object, undefined, node.preserve);
    if (dropped !== undefined) for (const key of dropped) delete object[key];
    this.#fillDefaults(node, object);
  }

  readValue(node: SchemaNode, value: object, path: Path, preserve: boolean): object {
    if (path.depth > maxDepth) throw new DecodeError("exceeded max depth");
    if (Array.isArray(value)) return this.#readList(node, value, path, preserve);
    const object = value as JsonObject;
    const dropped = this.#readFields(node, object, path, preserve);
    const kept = dropped === undefined ? object : without(object, dropped);
    if (node.embedded) coerceEmbedded(kept, path, this.#reading);
    this.#fillDefaults(node, kept);
    return kept;
  }

  /** Returns the keys to drop. Deleting them from a nested object would cost more than copying the others. */
  #readFields(node: SchemaNode, object: JsonObject, path: Path | undefined, preserve: boolean): string[] | undefined {
    let dropped: string[] | undefined;
    const reading = this.#reading;
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
          const read = this.readValue(child, value, at, child.preserve);
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
  #readList(node: SchemaNode, list: unknown[], path: Path, preserve: boolean): unknown[] {
    const item = node.items ?? (preserve ? undefined : unknownNode);
    if (item === undefined) return list;
    const reading = this.#reading;
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      if (typeof value !== "object") continue;
      if (value !== null) {
        const read = this.readValue(item, value, entryOf(path, i), preserve || item.preserve);
        if (read !== value) list[i] = read;
      } else if (!item.nullable && item.default !== undefined && reading.fillsDefaults) list[i] = freshDefault(item, reading);
    }
    return list;
  }

  #fillDefaults(node: SchemaNode, object: JsonObject): void {
    const reading = this.#reading;
    if (!reading.fillsDefaults) return;
    for (const [name, child] of node.defaulted) {
      if (!Object.hasOwn(object, name) && reading.admits(child.default)) setOwn(object, name, freshDefault(child, reading));
    }
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
    const reader = new Reader(new Reading(reading.metadata, { malformed: "dropped" }));
    value = reader.readValue(node, copy, entryOf(undefined, ""), node.preserve);
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
