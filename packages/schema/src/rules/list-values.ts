/** Lists: sequences, sets, and those whose items have keys. The last two are equal in any order, and `+` merges them. */

import { ArrayList, CelList, type CelValue, toJson } from "@coxswain/cel";
import { canonicalJson } from "@coxswain/machinery";
import { SchemaObject } from "./map-values.ts";
import type { ValueReader } from "./reader.ts";
import type { ValueNode } from "./value-node.ts";

export function listValue(json: readonly unknown[], node: ValueNode, reader: ValueReader): CelList {
  const items = new SchemaList(json, node.entries, reader);
  switch (node.schema["x-kubernetes-list-type"]) {
    case "set":
      return new UnorderedList(items, textOf, "first", reader);
    case "map": {
      const names = node.schema["x-kubernetes-list-map-keys"] ?? [];
      return new UnorderedList(items, (item) => keysOf(item, names), "last", reader);
    }
    default:
      return items;
  }
}

class SchemaList extends CelList {
  readonly #json: readonly unknown[];
  readonly #item: ValueNode;
  readonly #reader: ValueReader;

  constructor(json: readonly unknown[], item: ValueNode, reader: ValueReader) {
    super();
    this.#json = json;
    this.#item = item;
    this.#reader = reader;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): CelValue {
    this.#reader.spend(1);
    return this.#reader.read(this.#json[index], this.#item);
  }
}

/** Items have an identity. Of those that share one, `+` keeps the first or the last, at the first one's place. */
class UnorderedList extends CelList {
  readonly #items: CelList;
  readonly #identity: (item: CelValue) => unknown;
  readonly #kept: "first" | "last";
  readonly #reader: ValueReader;
  #index: ReadonlyMap<unknown, CelValue> | undefined;

  constructor(items: CelList, identity: (item: CelValue) => unknown, kept: "first" | "last", reader: ValueReader) {
    super();
    this.#items = items;
    this.#identity = identity;
    this.#kept = kept;
    this.#reader = reader;
  }

  get size(): number {
    return this.#items.size;
  }

  at(index: number): CelValue {
    return this.#items.at(index);
  }

  override equals(other: CelList, equal: (a: CelValue, b: CelValue) => boolean): boolean {
    if (this.size !== other.size) return false;
    for (const item of other) {
      const mine = this.#byIdentity().get(this.#identity(item));
      if (mine === undefined || (this.#kept === "last" && !equal(mine, item))) return false;
    }
    return true;
  }

  override plus(other: CelList): CelList {
    const items = new Map(this.#byIdentity());
    this.#reader.spend(this.size + other.size);
    for (const item of other) {
      const identity = this.#identity(item);
      if (this.#kept === "last" || !items.has(identity)) items.set(identity, item);
    }
    return new UnorderedList(new ArrayList([...items.values()]), this.#identity, this.#kept, this.#reader);
  }

  #byIdentity(): ReadonlyMap<unknown, CelValue> {
    this.#index ??= new Map(Array.from(this.#items, (item) => [this.#identity(item), item]));
    return this.#index;
  }
}

/** Equal for equal values; no two types of values stand in one set. */
const textOf = (value: CelValue): unknown => {
  if (typeof value !== "object" || value === null) return value;
  return canonicalJson(value instanceof SchemaObject ? value.json : toJson(value));
};

const keysOf = (item: CelValue, names: readonly string[]): unknown =>
  item instanceof SchemaObject ? canonicalJson(names.map((name) => item.json[name])) : textOf(item);
