/**
 * What expressions compute with. JavaScript's own values stand for themselves where they can:
 * int is bigint, double is number, string, bool, null and bytes (Uint8Array) are what they seem.
 */
import type { CelType } from "../types/type.ts";

/** A value of CEL: integers are bigints, doubles numbers. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelObject
  | CelOptional
  | CelTypeValue
  | CelOpaque;

/** An unsigned 64-bit integer. */
export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since the epoch. */
export class CelTimestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A span of time in nanoseconds. */
export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A list whose items may be made only when they are asked for: JSON under a schema is not copied. */
export abstract class CelList {
  abstract readonly size: number;
  /** `index` is within the list. */
  abstract at(index: number): CelValue;
  /** Of lists that are no sequences: sets, and lists whose items have keys. */
  equals?(other: CelList, equal: (a: CelValue, b: CelValue) => boolean): boolean;
  /** What `+` makes of such lists. */
  plus?(other: CelList): CelList;
  *[Symbol.iterator](): Generator<CelValue> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A map by key; keys are bool, int, uint or string, and 1, 1u and 1.0 are the same key. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined when there is no such key. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;
  /** Of maps that have more to compare than what their keys lead to. */
  equals?(other: CelMap, equal: (a: CelValue, b: CelValue) => boolean): boolean;
}

/** A message or an object of a schema: fields by name, and no others. */
export abstract class CelObject {
  abstract readonly type: CelType;
  /** The field's value, its default where it is unset and has one; undefined when it is absent: selecting it fails then. */
  abstract get(field: string): CelValue | undefined;
  /** What `has(x.field)` says. */
  abstract has(field: string): boolean;
  abstract equals(other: CelValue, equal: (a: CelValue, b: CelValue) => boolean): boolean;
  /** What it is in JSON, of those that have a form there. */
  json?(toJson: (value: CelValue) => unknown): unknown;
}

/** A value that may be absent; undefined when it is. */
export class CelOptional {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value: `int`, `type(self)`. Equal when the names are: parameters do not show at run time. */
export class CelTypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A library's own value: URL, IP, CIDR, Quantity, Semver, Format, Authorizer. */
export abstract class CelOpaque {
  abstract readonly type: CelType;
  abstract equals(other: CelValue): boolean;
}

/**
 * Ends an evaluation: division by zero, no such key, overflow. `||`, `&&` and macros may absorb it.
 * It is an Error without a stack: collecting that would cost more than most evaluations do.
 */
export class CelError implements Error {
  readonly name = "CelError";
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
Object.setPrototypeOf(CelError.prototype, Error.prototype);

/** Ends an evaluation that has cost more than it may; nothing absorbs it. */
export class CelCostError extends Error {
  override readonly name = "CelCostError";
}
