import type { Type } from "./type.ts";

/** Where a decoder stands; each step knows the one before. */
export interface Path {
  readonly parent: Path | undefined;
  /** The name of the struct whose field this is; absent for keys of maps and indexes of lists. */
  readonly owner: string | undefined;
  readonly step: string | number;
  /** A Go struct inlined here: Go's errors name it, JSON does not. */
  readonly inlined: boolean;
  readonly depth: number;
}

/** Returns the path of a field of the struct `owner` below another path. */
export const fieldOf = (parent: Path | undefined, owner: string, step: string): Path => makePath(parent, owner, step, false);

export const inlinedOf = (parent: Path | undefined, owner: string, step: string): Path => makePath(parent, owner, step, true);

/** Returns the path of an item of a list, or of a value of a map, below another path. */
export const entryOf = (parent: Path | undefined, step: string | number): Path => makePath(parent, undefined, step, false);

const makePath = (parent: Path | undefined, owner: string | undefined, step: string | number, inlined: boolean): Path => ({
  parent,
  owner,
  step,
  inlined,
  depth: parent === undefined ? 1 : parent.depth + 1,
});

/** Returns the keys and indexes that lead to it in JSON. */
export function stepsOf(path: Path): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (!at.inlined) steps.unshift(at.step);
  return steps;
}

/** As strict decoding shows it: `spec.containers[0].foo`. */
export function strictPath(path: Path | undefined, last: string): string {
  let text = last;
  for (let at = path; at !== undefined; at = at.parent) {
    if (at.inlined) continue;
    const step = typeof at.step === "number" ? `[${at.step}]` : at.step;
    text = text.startsWith("[") ? step + text : `${step}.${text}`;
  }
  return text;
}

/** As Go's JSON errors show it: the innermost struct, then all fields from the root, without keys and indexes. */
export function goFieldPath(path: Path | undefined): string {
  const fields: string[] = [];
  let owner = "";
  for (let at = path; at !== undefined; at = at.parent) {
    if (at.owner === undefined) continue;
    owner ||= at.owner;
    fields.unshift(String(at.step));
  }
  return fields.length === 0 ? "" : `${owner}.${fields.join(".")}`;
}

/** The Go type as reflection prints it, as far as the facts have it: named strings show as `string`. */
export function goTypeName(type: Type): string {
  switch (type.kind) {
    case "struct":
      return type.name.split(".").slice(-2).join(".");
    case "list":
      return `[]${goTypeName(type.item)}`;
    case "map":
      if (type.value.kind === "scalar" && type.value.scalar === "quantity") return "v1.ResourceList";
      return `map[string]${goTypeName(type.value)}`;
    case "scalar":
      return goScalars[type.scalar];
  }
}

const goScalars = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  bytes: "[]uint8",
  time: "string",
  microTime: "string",
  quantity: "resource.Quantity",
  intOrString: "int32",
  object: "v1.FieldsV1",
  any: "runtime.RawExtension",
} as const;
