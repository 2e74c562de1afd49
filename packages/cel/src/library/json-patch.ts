/** For the JSON patches of mutating admission policies: not part of other environments. */

import { stringAt } from "../define/argument.ts";
import { traversesFirst } from "../define/call-cost.ts";
import { functionsOf, plain } from "../define/declare.ts";
import type { TypeProvider } from "../environment/environment.ts";
import type { CelLibrary } from "../environment/library.ts";
import { type CelType, dynType, objectType, stringType } from "../types/type.ts";
import { equalValues } from "../values/equality.ts";
import { CelError, CelObject, type CelValue } from "../values/value.ts";

/**
 * The functions by which mutating admission policies make JSON patches.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export const jsonPatch: CelLibrary = {
  name: "kubernetes.jsonpatch",
  functions: functionsOf({
    "jsonpatch.escapeKey": [
      {
        ...plain("string_jsonpatch_escapeKey_string", [stringType], stringType, (args) => escapeKey(stringAt(args, 0))),
        ...traversesFirst(1, true),
      },
    ],
  }),
};

/** So that it can stand in a JSON pointer. */
const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** The type of one operation of a JSON patch. */
export const jsonPatchType = objectType("JSONPatch");

const fieldTypes: ReadonlyMap<string, CelType> = new Map([
  ["op", stringType],
  ["path", stringType],
  ["from", stringType],
  ["value", dynType],
]);

/** Of `JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}`. */
export const jsonPatchTypes: TypeProvider = {
  hasType: (name) => name === "JSONPatch",
  fieldType: (name, field) => (name === "JSONPatch" ? fieldTypes.get(field) : undefined),
  create: (_, fields) => new JsonPatchValue(fields),
};

/** One operation of a patch. Texts that were not given are empty. */
export class JsonPatchValue extends CelObject {
  override readonly type = jsonPatchType;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** Undefined when there is none: null is a value. */
  readonly value: CelValue | undefined;

  constructor(fields: ReadonlyMap<string, CelValue>) {
    super();
    this.op = text(fields, "op");
    this.path = text(fields, "path");
    this.from = text(fields, "from");
    this.value = fields.get("value");
  }

  override get(field: string): CelValue | undefined {
    return field === "op" || field === "path" || field === "from" || field === "value" ? this[field] : undefined;
  }

  override has(field: string): boolean {
    const value = this.get(field);
    return value !== undefined && (field === "value" || value !== "");
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof JsonPatchValue) || this.op !== other.op || this.from !== other.from || this.path !== other.path) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equalValues(this.value, other.value);
  }
}

function text(fields: ReadonlyMap<string, CelValue>, field: string): string {
  const value = fields.get(field) ?? "";
  if (typeof value !== "string") throw new CelError(`unexpected type for JSONPatchType '${field}' field`);
  return value;
}
