/**
 * Which old value is the one that a new value replaces, and whether it is the same: what did not change may stay invalid.
 * @see https://kep.k8s.io/4008
 */
import { deepEqual, getOwn, isObject, type JsonObject } from "@coxswain/machinery";
import type { ValueSchema } from "./value-schema.ts";

export class Correlation {
  readonly #schema: ValueSchema;
  readonly #value: unknown;
  readonly #old: unknown;
  #equal: boolean | undefined;
  #children: Map<string | number, Correlation | undefined> | undefined;
  #oldItem: ((item: unknown) => unknown) | undefined;

  constructor(schema: ValueSchema, value: unknown, old: unknown) {
    this.#schema = schema;
    this.#value = value;
    this.#old = old;
  }

  /** Undefined where there was no such field, or where the schema does not know it. */
  key(name: string): Correlation | undefined {
    return this.#child(name, () => {
      const { properties, additional } = this.#schema;
      const child = properties.get(name) ?? additional;
      if (child === undefined || child === "forbidden" || !isObject(this.#value) || !isObject(this.#old)) return undefined;
      if (!Object.hasOwn(this.#value, name) || !Object.hasOwn(this.#old, name)) return undefined;
      return new Correlation(child, this.#value[name], this.#old[name]);
    });
  }

  /** Undefined unless the list has keys and its item's were there before. */
  index(i: number): Correlation | undefined {
    return this.#child(i, () => {
      const { items, listKeys } = this.#schema;
      if (items === undefined || listKeys === undefined || !Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
      const item: unknown = this.#value[i];
      this.#oldItem ??= itemsByKey(this.#old, listKeys);
      const old = this.#oldItem(item);
      return old === undefined ? undefined : new Correlation(items, item, old);
    });
  }

  /** Lists without keys compare as they stand; objects with fields that the schema does not know never equal. */
  get equal(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  #compare(): boolean {
    const value = this.#value;
    const old = this.#old;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#schema.listKeys === undefined) return deepEqual(value, old);
      return value.every((_, i) => this.index(i)?.equal === true);
    }
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.equal === true);
    }
    return deepEqual(value, old);
  }

  #child(step: string | number, make: () => Correlation | undefined): Correlation | undefined {
    this.#children ??= new Map();
    if (!this.#children.has(step)) this.#children.set(step, make());
    return this.#children.get(step);
  }
}

/** The item with the keys of a given one; the first where several share them. */
export function itemsByKey(items: readonly unknown[], keys: readonly string[]): (item: unknown) => unknown {
  const index = indexItems(items, keys);
  return (item) => {
    const key = keyOf(item, keys);
    return key === undefined ? undefined : index.get(key);
  };
}

/** The first of those that share a key. */
function indexItems(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const index = new Map<string, unknown>();
  for (const item of items) {
    const key = keyOf(item, keys);
    if (key !== undefined && !index.has(key)) index.set(key, item);
  }
  return index;
}

/** Undefined for items that lack a key or whose key is no scalar. */
function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(item) || keys.length === 0) return undefined;
  let text = "";
  for (const name of keys) {
    const part = scalarText(item, name);
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

function scalarText(item: JsonObject, name: string): string | undefined {
  const value = getOwn(item, name);
  switch (typeof value) {
    case "string":
      return `s${value.length}:${value}`;
    case "number":
    case "bigint":
      return `n${value};`;
    case "boolean":
      return `b${value};`;
    default:
      return undefined;
  }
}
