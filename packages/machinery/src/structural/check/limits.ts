/**
 * Bounds on what a schema may cost to check, so that one request cannot hold up the others. Kubernetes has none but the
 * size of a request; the schemas of real projects come nowhere near these.
 */
import { type FieldError, forbidden } from "../../field-error.ts";
import type { JsonSchema } from "../schema.ts";
import { childrenOf } from "./parts.ts";
import { patternSize } from "./pattern.ts";

export const maxDepth = 200;
export const maxSchemas = 100_000;
/** Of all names on the way to a field together, and of a list's keys together: each error repeats them. */
export const maxNames = 8_000;
/** Of all different patterns together, in instructions; compiling takes about a microsecond for each. */
export const maxPatternSize = 100_000;
/** No more errors are looked for when there are as many. */
export const maxErrors = 1_000;

interface Found {
  readonly schema: JsonSchema;
  readonly depth: number;
  readonly names: number;
}

/** Whoever walks a schema without errors here may recurse. */
export function limitErrors(schema: JsonSchema, path: string): FieldError[] {
  const rest: Found[] = [{ schema, depth: 0, names: 0 }];
  const patterns = new Set<string>();
  let count = 0;
  let size = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { depth, names } = next;
    const keys = next.schema["x-kubernetes-list-map-keys"]?.join("").length ?? 0;
    const pattern = next.schema.pattern ?? "";
    if (!patterns.has(pattern)) size += patternSize(pattern);
    patterns.add(pattern);
    if (depth > maxDepth) return [forbidden(path, `schemas may not be nested deeper than ${maxDepth} levels`)];
    if (++count > maxSchemas) return [forbidden(path, `may not contain more than ${maxSchemas} schemas`)];
    if (Math.max(names, keys) > maxNames) return [forbidden(path, `names of nested fields may not have more than ${maxNames} characters`)];
    if (size > maxPatternSize) return [forbidden(path, "patterns are too large")];
    for (const [name, child] of childrenOf(next.schema)) rest.push({ schema: child, depth: depth + 1, names: names + name.length });
  }
  return [];
}
