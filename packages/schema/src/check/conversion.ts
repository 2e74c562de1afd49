/** Why a schema has no structural form at all. Most of these reasons are also found one by one, with their paths, by open-api.ts. */
import type { JsonSchema } from "../structural/schema.ts";
import { additionalOf, itemsOf, saysNothing } from "./parts.ts";

const unsupported = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
] as const;

/** The first reason, in Kubernetes' words; undefined when there is none. */
export function conversionProblem(schema: JsonSchema): string | undefined {
  for (const [key, shown] of unsupported) if (!saysNothing(schema[key])) return `OpenAPIV3Schema '${shown}' is not supported`;
  if (schema.additionalItems !== undefined) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (!saysNothing(schema.definitions)) return "OpenAPIV3Schema 'definitions' is not supported";
  const inConditions = firstProblem([schema.not, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]);
  if (inConditions !== undefined) return inConditions;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return firstProblem([itemsOf(schema)]) ?? firstInProperties(schema.properties) ?? firstProblem([additionalOf(schema)]);
}

function firstInProperties(properties: JsonSchema["properties"]): string | undefined {
  for (const name in properties) {
    const problem = conversionProblem(properties[name] as JsonSchema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function firstProblem(schemas: readonly (JsonSchema | undefined)[]): string | undefined {
  for (const each of schemas) {
    const problem = each === undefined ? undefined : conversionProblem(each);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
