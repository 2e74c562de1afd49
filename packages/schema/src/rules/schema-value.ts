/** JSON under a schema as the values of expressions. Nothing is copied: parts become values when a rule reads them. */

import { CelCostError, CelError, CelOpaque, type CelValue, opaqueType } from "@coxswain/cel";
import { deepEqual, isObject } from "@coxswain/machinery";
import { listValue } from "./list-values.ts";
import { SchemaMap, SchemaObject } from "./map-values.ts";
import type { ValueReader } from "./reader.ts";
import { textValue } from "./text-value.ts";
import type { ValueNode } from "./value-node.ts";

/**
 * Reads values, and bounds what costs do not count: Kubernetes charges one unit for comparing two objects, however much
 * is in them. The limit is far above what rules on the largest objects come to.
 */
export class SchemaValues implements ValueReader {
  #left: number;

  constructor(maxValues = 2_000_000) {
    this.#left = maxValues;
  }

  read(json: unknown, node: ValueNode): CelValue {
    return readValue(json, node, this);
  }

  spend(values: number): void {
    this.#left -= values;
    if (this.#left < 0) throw new CelCostError("operation cancelled: actual cost limit exceeded");
  }
}

function readValue(json: unknown, node: ValueNode, reader: ValueReader): CelValue {
  if (json === null || json === undefined) {
    if (node.nullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  switch (node.kind) {
    case "object":
      if (isObject(json)) return new SchemaObject(json, node, reader);
      throw new CelError("invalid data, expected a map for the provided schema with type=object");
    case "map":
      if (isObject(json)) return new SchemaMap(json, node, reader);
      throw new CelError("invalid data, expected a map for the provided schema with type=object");
    case "list":
      if (Array.isArray(json)) return listValue(json, node, reader);
      throw new CelError("invalid data, expected an array for the provided schema with type=array");
    case "text":
      if (typeof json === "string") return textValue(json, node.schema.format);
      throw new CelError(`invalid data, expected string, got ${goTypeOf(json)}`);
    case "intOrString":
      if (typeof json === "string") return json;
      return intOf(json) ?? fail("invalid data, expected XIntOrString value to be either a string or integer");
    case "integer":
      return intOf(json) ?? fail(`invalid data, expected int, got ${goTypeOf(json)}`);
    case "number":
      if (typeof json === "number" || typeof json === "bigint") return Number(json);
      throw new CelError(`invalid data, expected float, got ${goTypeOf(json)}`);
    case "boolean":
      if (typeof json === "boolean") return json;
      throw new CelError(`invalid data, expected bool, got ${goTypeOf(json)}`);
    case "preserved":
      return new PreservedValue(json);
    case "unknown":
      throw new CelError("invalid type, expected object, array, number, integer, boolean or string");
  }
}

function intOf(json: unknown): bigint | undefined {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : undefined;
}

function fail(message: string): never {
  throw new CelError(message);
}

function goTypeOf(json: unknown): string {
  switch (typeof json) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(json) ? "int64" : "float64";
    case "bigint":
      return "int64";
    default:
      return Array.isArray(json) ? "[]interface {}" : "map[string]interface {}";
  }
}

/** Data of unknown type: it can be compared as a part of something else, and nothing more. */
class PreservedValue extends CelOpaque {
  readonly type = opaqueType("unknown");
  readonly #json: unknown;

  constructor(json: unknown) {
    super();
    this.#json = json;
  }

  equals(other: CelValue): boolean {
    return other instanceof PreservedValue && deepEqual(this.#json, other.#json);
  }
}
