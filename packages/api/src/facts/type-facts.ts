/** The facts of the built-in types as the data files give them, for what compiled types leave out: defaults and the published form. */
import { typeFiles } from "../types/all.ts";

/** What the data files say of one type. */
export interface TypeFacts {
  /** Group, version and kind of each kind that the type is. */
  readonly gvk?: readonly (readonly [string, string, string])[];
  readonly mapType?: string;
  /** Absent where the JSON form is not a struct. */
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  /** The JSON form where there are no fields: `string:date-time`, `int-or-string`, `string-or-number`, `object` or `any`. */
  readonly type?: string;
}

/** What they say of one field, as the published OpenAPI has it. */
export interface FieldFacts {
  /** A type's name, `[item]`, `{value}`, or a JSON type with its format: `integer:int32`. */
  readonly type: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
}

/** By OpenAPI name. */
export function builtinTypeFacts(): ReadonlyMap<string, TypeFacts> {
  const facts = new Map<string, TypeFacts>();
  for (const file of Object.values(typeFiles)) {
    for (const [name, type] of Object.entries(file as Readonly<Record<string, TypeFacts>>)) facts.set(name, type);
  }
  return facts;
}
