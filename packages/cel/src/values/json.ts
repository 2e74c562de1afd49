/** Plain JSON as values, without copying it, and values as JSON. */

import type { CelType } from "../types/type.ts";
import { dynType } from "../types/type.ts";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "./time-text.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./value.ts";

/** Makes a value of JSON whose type is an object's; a schema knows how. */
export type ObjectAdaptor = (typeName: string, json: unknown) => CelValue;

const noObjects: ObjectAdaptor = (typeName) => {
  throw new CelError(`unknown type: ${typeName}`);
};

/**
 * A value of JSON, as the type says; where the type is `dyn`, as the JSON looks: whole numbers are ints, unless they
 * are so big that only a bigint would hold them exactly.
 * Lists and maps look their items up when they are asked for them.
 * @throws CelError when the JSON is not of the type
 */
export function fromJson(json: unknown, type: CelType = dynType, objects: ObjectAdaptor = noObjects): CelValue {
  if (json === null || json === undefined) return null;
  switch (type.kind) {
    case "bool":
    case "string":
      if (typeof json === (type.kind === "bool" ? "boolean" : "string")) return json as boolean | string;
      break;
    case "int":
      if (typeof json === "bigint") return json;
      if (typeof json === "number" && Number.isInteger(json) && Math.abs(json) < 2 ** 63) return BigInt(json);
      break;
    case "uint":
      if (typeof json === "number" || typeof json === "bigint") return new CelUint(BigInt(json));
      break;
    case "double":
      if (typeof json === "number" || typeof json === "bigint") return Number(json);
      break;
    case "list":
      if (Array.isArray(json)) return new JsonList(json, type.item, objects);
      break;
    case "map":
      if (isRecord(json)) return new JsonMap(json, type.value, objects);
      break;
    case "object":
      return objects(type.name, json);
    case "wrapper":
      return fromJson(json, type.of, objects);
    case "dyn":
      return fromDynamic(json, objects);
    default:
      if (typeof json === "string") return fromText(json, type);
  }
  throw mismatch(type);
}

/** What a value is in JSON: ints are bigint where a number cannot hold them. @throws CelError for what JSON cannot say */
export function toJson(value: CelValue): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (value instanceof CelUint) return toJson(value.value);
  if (value instanceof CelList) return Array.from(value, toJson);
  if (value instanceof CelMap)
    return Object.fromEntries(Array.from(value.keys(), (key) => [String(toJson(key)), toJson(value.get(key) ?? null)]));
  if (value instanceof CelTimestamp) return formatTimestamp(value.nanos);
  if (value instanceof CelDuration) return formatDuration(value.nanos);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof CelObject && value.json !== undefined) return value.json(toJson);
  throw new CelError("no JSON for this value");
}

/** A list of JSON values, each made when it is asked for. */
export class JsonList extends CelList {
  readonly json: readonly unknown[];
  readonly #item: CelType;
  readonly #objects: ObjectAdaptor;

  constructor(json: readonly unknown[], item: CelType, objects: ObjectAdaptor) {
    super();
    this.json = json;
    this.#item = item;
    this.#objects = objects;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): CelValue {
    return fromJson(this.json[index], this.#item, this.#objects);
  }
}

/** A JSON object as a map of strings. */
export class JsonMap extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #value: CelType;
  readonly #objects: ObjectAdaptor;

  constructor(json: Readonly<Record<string, unknown>>, value: CelType, objects: ObjectAdaptor) {
    super();
    this.json = json;
    this.#value = value;
    this.#objects = objects;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === "string" && Object.hasOwn(this.json, key) ? fromJson(this.json[key], this.#value, this.#objects) : undefined;
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.json);
  }
}

function fromDynamic(json: unknown, objects: ObjectAdaptor): CelValue {
  switch (typeof json) {
    case "boolean":
    case "string":
    case "bigint":
      return json;
    case "number":
      return Number.isSafeInteger(json) ? BigInt(json) : json;
    default:
      if (Array.isArray(json)) return new JsonList(json, dynType, objects);
      if (isRecord(json)) return new JsonMap(json, dynType, objects);
      throw mismatch(dynType);
  }
}

function fromText(text: string, type: CelType): CelValue {
  if (type.kind === "bytes") return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const nanos = type.kind === "timestamp" ? parseTimestamp(text) : type.kind === "duration" ? parseDuration(text) : undefined;
  if (nanos === undefined) throw mismatch(type);
  return type.kind === "timestamp" ? new CelTimestamp(nanos) : new CelDuration(nanos);
}

const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json);
const mismatch = (type: CelType) => new CelError(`the JSON is not of type ${type.kind}`);
