/** Objects with declared fields, and maps with keys of any name. Both are maps to expressions. */
import { CelMap, type CelValue } from "@coxswain/cel";
import { deepEqual } from "@coxswain/machinery";
import { escapeName, unescapeName } from "./escape.ts";
import type { ValueReader } from "./reader.ts";
import type { ValueNode } from "./value-node.ts";

type Json = Readonly<Record<string, unknown>>;
type Equal = (a: CelValue, b: CelValue) => boolean;

abstract class JsonRecord extends CelMap {
  readonly json: Json;
  protected readonly node: ValueNode;
  protected readonly reader: ValueReader;
  #size: number | undefined;

  constructor(json: Json, node: ValueNode, reader: ValueReader) {
    super();
    this.json = json;
    this.node = node;
    this.reader = reader;
  }

  /** Fields that the schema does not know count too. */
  get size(): number {
    if (this.#size === undefined) {
      this.#size = Object.keys(this.json).length;
      this.reader.spend(this.#size);
    }
    return this.#size;
  }
}

export class SchemaMap extends JsonRecord {
  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.json, key)) return undefined;
    return this.reader.read(this.json[key], this.node.entries);
  }

  keys(): Iterable<CelValue> {
    this.reader.spend(this.size);
    return Object.keys(this.json);
  }
}

export class SchemaObject extends JsonRecord {
  #parts: Map<string, CelValue> | undefined;

  /** A field that is null is absent. */
  get(key: CelValue): CelValue | undefined {
    const name = typeof key === "string" ? unescapeName(key) : undefined;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const value = this.json[name];
    if (value === null || value === undefined) return undefined;
    const field = this.node.property(name);
    return field && (typeof value === "object" ? this.#part(name, value, field) : this.reader.read(value, field));
  }

  /** Kept, with what it has found out about itself: rules come back to lists and maps for each item of another one. */
  #part(name: string, value: object, field: ValueNode): CelValue {
    const known = this.#parts?.get(name);
    if (known !== undefined) return known;
    const part = this.reader.read(value, field);
    this.#parts ??= new Map();
    this.#parts.set(name, part);
    return part;
  }

  *keys(): Generator<CelValue> {
    this.reader.spend(this.size);
    for (const name of Object.keys(this.json)) if (this.node.property(name) !== undefined) yield escapeName(name) ?? name;
  }

  /** Fields that the schema does not know are equal when the other lacks them, as long as it has as many. */
  override equals(other: CelMap, equal: Equal): boolean {
    if (this.size !== other.size) return false;
    this.reader.spend(this.size);
    for (const [name, value] of Object.entries(this.json)) {
      if (this.node.property(name) === undefined) {
        if (other instanceof SchemaObject && Object.hasOwn(other.json, name) && !deepEqual(value, other.json[name])) return false;
        continue;
      }
      const mine = this.get(name);
      const theirs = other.get(name);
      if (mine === undefined || theirs === undefined ? mine !== theirs : !equal(mine, theirs)) return false;
    }
    return true;
  }
}
