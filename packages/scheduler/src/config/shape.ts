/** Reads a document as Go reads one into a struct: unknown fields are reported together, the first wrong type at once. */
import { goQuote, parseGoDuration } from "@coxswain/machinery";
import { SchedulerConfigError } from "./config-error.ts";

export type Shape =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "float32"
  /** As Go writes them: `15s`. */
  | "duration"
  /** Any value: another reader checks it. */
  | "any"
  | { readonly list: Shape }
  /** `type` is what Go calls it, in messages. */
  | { readonly type: string; readonly fields: Readonly<Record<string, Shape>> };

/** @throws SchedulerConfigError */
export function checkShape(value: unknown, shape: Shape, strictly: { readonly unknown: string[] }, at: At = top): void {
  if (value === null || value === undefined || shape === "any") return;
  if (typeof shape === "string") {
    checkScalar(value, shape, at);
    return;
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) throw wrongType(value, at, "[]");
    for (const [i, item] of value.entries()) checkShape(item, shape.list, strictly, { ...at, path: `${at.path}[${i}]` });
    return;
  }
  if (!isRecord(value)) throw wrongType(value, at, shape.type);
  for (const [name, member] of Object.entries(value)) {
    const path = at.path === "" ? name : `${at.path}.${name}`;
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (field === undefined) strictly.unknown.push(path);
    else checkShape(member, field, strictly, { path, goField: `${shape.type}.${name}` });
  }
}

interface At {
  readonly path: string;
  readonly goField: string;
}

const top: At = { path: "", goField: "" };

export const unknownFields = (paths: readonly string[]): string =>
  `strict decoding error: ${paths.map((path) => `unknown field ${goQuote(path)}`).join(", ")}`;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Scalar = Extract<Shape, string>;

function checkScalar(value: unknown, shape: Scalar, at: At): void {
  switch (shape) {
    case "string":
      if (typeof value !== "string") throw wrongType(value, at, shape);
      return;
    case "bool":
      if (typeof value !== "boolean") throw wrongType(value, at, shape);
      return;
    case "int32":
    case "int64":
    case "float32":
      if (typeof value !== "number" || (shape !== "float32" && !Number.isInteger(value))) throw wrongType(value, at, shape);
      return;
    case "duration": {
      if (typeof value !== "string") throw wrongType(value, at, "string");
      const ms = parseGoDuration(value);
      if (typeof ms === "string") throw new SchedulerConfigError(`time: invalid duration ${goQuote(value)}`);
      return;
    }
    case "any":
  }
}

const wrongType = (value: unknown, { goField }: At, type: string): SchedulerConfigError =>
  new SchedulerConfigError(`json: cannot unmarshal ${jsonType(value)} into Go struct field ${goField} of type ${type}`);

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "number" : `number ${value}`;
    default:
      return typeof value;
  }
}
