/** What names mean: put together from libraries once, and looked up by the checker and the planner. */

import type { Limits } from "../syntax/limits.ts";
import type { Macro } from "../syntax/macro.ts";
import { macroKey } from "../syntax/parse-context.ts";
import { type CelType, objectType, typeOfTypes } from "../types/type.ts";
import { CelTypeValue, type CelValue } from "../values/value.ts";
import type { Features, TypeProvider } from "./environment.ts";
import type { AstValidator, CelLibrary, CelOverload } from "./library.ts";

export interface Declarations {
  readonly container: string;
  readonly limits: Limits;
  readonly features: Features;
  readonly types: TypeProvider;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly constants: ReadonlyMap<string, { readonly type: CelType; readonly value: CelValue }>;
  readonly functions: ReadonlyMap<string, readonly CelOverload[]>;
  readonly overloads: ReadonlyMap<string, CelOverload>;
  readonly macros: ReadonlyMap<string, Macro>;
  readonly validators: readonly AstValidator[];
}

/** What a name was found to be. */
export interface Found {
  readonly name: string;
  readonly type: CelType;
  /** Of constants and types. */
  readonly value?: CelValue;
}

export function mergeLibraries(
  libraries: readonly CelLibrary[],
): Pick<Declarations, "constants" | "functions" | "overloads" | "macros" | "validators"> {
  const functions = new Map<string, CelOverload[]>();
  for (const { name, overloads } of libraries.flatMap((library) => library.functions ?? []))
    functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
  return {
    constants: new Map(libraries.flatMap((library) => [...(library.constants ?? [])])),
    functions,
    overloads: new Map([...functions.values()].flat().map((overload) => [overload.id, overload])),
    macros: new Map(libraries.flatMap((library) => library.macros ?? []).map((macro) => [macroKey(macro), macro])),
    validators: libraries.flatMap((library) => library.validators ?? []),
  };
}

/** In the container `a.b`, `c` may be `a.b.c`, `a.c` or `c`, and `.c` is only `c`. */
export function candidateNames(container: string, name: string): readonly string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const parts = container === "" ? [] : container.split(".");
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join(".")}.${name}`), name];
}

/** @param locals the variables of macros around the name */
export function findIdent(declarations: Declarations, locals: ReadonlyMap<string, CelType>, name: string): Found | undefined {
  for (const candidate of candidateNames(declarations.container, name)) {
    const type = (name.startsWith(".") ? undefined : locals.get(candidate)) ?? declarations.variables.get(candidate);
    if (type) return { name: candidate, type };
    const constant = declarations.constants.get(candidate);
    if (constant) return { name: candidate, ...constant };
    if (declarations.types.hasType(candidate))
      return { name: candidate, type: typeOfTypes(objectType(candidate)), value: new CelTypeValue(candidate) };
  }
  return undefined;
}

export function findFunction(declarations: Declarations, name: string): { name: string; overloads: readonly CelOverload[] } | undefined {
  for (const candidate of candidateNames(declarations.container, name)) {
    const overloads = declarations.functions.get(candidate);
    if (overloads) return { name: candidate, overloads };
  }
  return undefined;
}
