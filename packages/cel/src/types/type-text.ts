/** Types as messages show them, and as a value of type `type` names them. */
import type { CelType } from "./type.ts";

/** Prints a type as messages show it: `map(string, list(int))`. */
export function showType(type: CelType): string {
  switch (type.kind) {
    case "list":
      return `list(${showType(type.item)})`;
    case "map":
      return `map(${showType(type.key)}, ${showType(type.value)})`;
    case "wrapper":
      return `wrapper(${showType(type.of)})`;
    case "type":
      return type.of.kind === "dyn" ? "type" : `type(${showType(type.of)})`;
    case "opaque":
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(showType).join(", ")})`;
    case "object":
    case "param":
      return type.name;
    case "error":
      return "!error!";
    default:
      return type.kind;
  }
}

/** `string.(int)` for a member, else `(string, int)`. */
export function showSignature(args: readonly CelType[], member: boolean): string {
  const shown = args.map(showType);
  return member ? `${shown[0] ?? ""}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
}

/** What `type(x)` gives: no parameters, and the protocol buffers' names where there are such. */
export function runtimeTypeName(type: CelType): string {
  switch (type.kind) {
    case "null":
      return "null_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "object":
    case "opaque":
    case "param":
      return type.name;
    case "wrapper":
      return runtimeTypeName(type.of);
    default:
      return type.kind;
  }
}

/** What values of the type are called at run time, and their parts: `list(google.protobuf.Timestamp)`. */
export function showResultType(type: CelType): string {
  switch (type.kind) {
    case "list":
      return `list(${showResultType(type.item)})`;
    case "map":
      return `map(${showResultType(type.key)}, ${showResultType(type.value)})`;
    case "wrapper":
      return `wrapper(${runtimeTypeName(type.of)})`;
    case "type":
      return type.of.kind === "dyn" ? "type" : `type(${showResultType(type.of)})`;
    case "opaque":
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(showResultType).join(", ")})`;
    default:
      return runtimeTypeName(type);
  }
}

/** Whether two types are the same, parameters included. */
export function sameType(a: CelType, b: CelType): boolean {
  return a === b || (a.kind === b.kind && showType(a) === showType(b));
}
