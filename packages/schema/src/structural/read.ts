/**
 * One walk that prunes, drops nulls and fills in defaults. Kubernetes walks once for each of these, with the same outcome.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 */

import type { StructType } from "@coxswain/machinery";
import {
  cloneJson,
  compareBytes,
  DecodeError,
  DecodeReport,
  goQuote,
  type JsonObject,
  setOwn,
  strictPath,
  stringifyJson,
} from "@coxswain/machinery";
import { coerceEmbedded, isMetaField } from "./embedded.ts";
import { entryOf, type Path, propertyOf } from "./field-path.ts";
import { type SchemaNode, unknownNode } from "./node.ts";
import type { ValidationBudget } from "./validate/work.ts";

const maxDepth = 1000;
const mostUnknown = 1000;
const mostCharacters = 1024 * 1024;
/** Of all defaults that one object is given, about: lists can make much of little. */
const mostDefaultBytes = 4 * 1024 * 1024;

export interface ReadingOptions {
  /** `refused`: what embedded metadata may not hold is an error; `dropped`: it goes, as from old objects in the store. */
  readonly malformed: "refused" | "dropped";
  /** Whether unknown fields are told. */
  readonly reports?: boolean;
  /** Absent means filled in. */
  readonly defaults?: "missing";
  /** `kept`: where none may be and no default comes, it is for validation to refuse. */
  readonly nulls?: "kept";
  readonly validationBudget?: ValidationBudget | undefined;
}

/** One reading of one object. */
export class Reading {
  readonly metadata: StructType;
  readonly malformed: ReadingOptions["malformed"];
  readonly fillsDefaults: boolean;
  readonly keepsNulls: boolean;
  changed = false;
  readonly #wanted: boolean;
  #unknown: string[] | undefined;
  #characters = 0;
  #embedded: DecodeReport | undefined;
  readonly #validationBudget: ValidationBudget | undefined;
  #defaultBytes = 0;

  /** @param metadata the type of ObjectMeta */
  constructor(metadata: StructType, { malformed, reports = false, defaults, nulls, validationBudget }: ReadingOptions) {
    this.#validationBudget = validationBudget;
    this.metadata = metadata;
    this.malformed = malformed;
    this.fillsDefaults = defaults === undefined;
    this.keepsNulls = nulls === "kept";
    this.#wanted = reports;
  }

  /** Told of unknown fields in embedded metadata; undefined when nobody wants to know. */
  get embeddedReport(): DecodeReport | undefined {
    if (this.#wanted) this.#embedded ??= new DecodeReport();
    return this.#embedded;
  }

  /** Whether there is room for a default; whoever writes the object is told when not, and whoever reads it gets the rest. */
  admits(value: unknown): boolean {
    this.#defaultBytes += sizeOf(value);
    if (this.#validationBudget !== undefined && this.#defaultBytes > this.#validationBudget.defaultBytes) this.#validationBudget.exceeded();
    if (this.#defaultBytes <= mostDefaultBytes) return true;
    if (this.malformed === "refused") throw new DecodeError("the defaults of all fields together take too much room");
    return false;
  }

  unknownField(path: Path | undefined, key: string): void {
    this.changed = true;
    if (!this.#wanted) return;
    this.#unknown ??= [];
    if (this.#unknown.length >= mostUnknown || this.#characters > mostCharacters) return;
    const text = strictPath(path, key);
    this.#unknown.push(text);
    this.#characters += text.length;
  }

  /** In Kubernetes' order: unknown fields, then those of embedded metadata, each sorted. */
  tell(report: DecodeReport): void {
    if (this.#unknown !== undefined) for (const path of this.#unknown.sort(compareBytes)) report.problem(`unknown field ${goQuote(path)}`);
    if (this.#embedded !== undefined) for (const problem of [...this.#embedded.problems].sort(compareBytes)) report.problem(problem);
  }
}

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

/** About the length of a default in JSON; that of a list or an object is not worth knowing twice. */
const sizes = new WeakMap<object, number>();

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return typeof value === "string" ? value.length + 16 : 16;
  let size = sizes.get(value);
  if (size === undefined) {
    size = stringifyJson(value).length + 16;
    sizes.set(value, size);
  }
  return size;
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
