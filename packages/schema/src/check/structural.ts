/**
 * Whether a schema is structural: whether types can be read off it without looking into allOf, anyOf, oneOf and not.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { patternChecker } from "../validate/pattern.ts";
import { completenessErrors } from "./completeness.ts";
import { maxErrors } from "./limits.ts";
import { valueErrors, type Walk } from "./nested.ts";
import { additionalOf, forEachProperty, hasProperties, itemsOf, propertiesOf, propertyOf, saysOnly } from "./parts.ts";

/** Where a schema stands: at the top, for the items of a list, or for a field. */
export type Level = "root" | "item" | "field";

/** For a schema that converts (conversion.ts). In the order of their texts, as Kubernetes sorts them. */
export function structuralErrors(schema: JsonSchema, path: string): FieldError[] {
  const walk: Walk = { out: [], patternProblem: patternChecker() };
  invariants(walk, schema, "root", path);
  completenessErrors(walk.out, schema, path);
  return walk.out
    .map((error) => ({ error, text: field.formatFieldError(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ error }) => error);
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariants(walk: Walk, schema: JsonSchema, level: Level, path: string): void {
  const { out } = walk;
  if (out.length >= maxErrors) return;
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  if (schema.type === "array" && items === undefined) out.push(field.required(`${path}.items`, "must be specified"));
  if (items !== undefined) invariants(walk, items, "item", `${path}.items`);
  forEachProperty(schema, (name, field) => invariants(walk, field, "field", `${path}.properties[${name}]`));
  if (schema.additionalProperties !== undefined && level === "root") {
    out.push(field.forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (additional !== undefined) invariants(walk, additional, "field", `${path}.additionalProperties`);
  extensionErrors(out, schema, path);
  valueErrors(walk, schema, path);
  typeErrors(out, schema, level, path);
  metaErrors(out, schema, level, path);
}

function extensionErrors(out: FieldError[], schema: JsonSchema, path: string): void {
  for (const extension of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (schema["x-kubernetes-int-or-string"] && schema[extension]) {
      out.push(field.invalid(`${path}.${extension}`, true, "must be false if x-kubernetes-int-or-string is true"));
    }
  }
  if (!schema["x-kubernetes-embedded-resource"]) return;
  if (schema.additionalProperties !== undefined) {
    out.push(field.forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (!schema["x-kubernetes-preserve-unknown-fields"] && !hasProperties(schema)) {
    const why = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    out.push(field.required(`${path}.properties`, why));
  }
}

function typeErrors(out: FieldError[], schema: JsonSchema, level: Level, path: string): void {
  const { type = "" } = schema;
  if (schema["x-kubernetes-embedded-resource"] && type !== "object") {
    out.push(wrongType(`${path}.type`, type, "must be object if x-kubernetes-embedded-resource is true"));
  } else if (type === "" && !schema["x-kubernetes-int-or-string"] && !schema["x-kubernetes-preserve-unknown-fields"]) {
    out.push(field.required(`${path}.type`, emptyType[level]));
  }
  if (level === "root" && type !== "" && type !== "object") out.push(field.invalid(`${path}.type`, type, "must be object at the root"));
}

/** A type that is missing is required; another one is wrong. */
export const wrongType = (path: string, type: string | undefined, why: string): FieldError =>
  type ? field.invalid(path, type, why) : field.required(path, why);

/** apiVersion, kind and metadata are implied: a schema may say what they are, but not otherwise. */
function metaErrors(out: FieldError[], schema: JsonSchema, level: Level, path: string): void {
  const metadata = propertyOf(schema, "metadata");
  const resource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  if (resource) {
    for (const name of ["kind", "apiVersion"]) {
      const found = propertyOf(schema, name);
      if (found !== undefined && found.type !== "string") {
        out.push(field.invalid(`${path}.properties[${name}].type`, found.type ?? "", "must be string"));
      }
    }
    if (metadata !== undefined && metadata.type !== "object") {
      out.push(field.invalid(`${path}.properties[metadata].type`, metadata.type ?? "", "must be object"));
    }
  }
  if (metadata === undefined || level !== "root") return;
  const names = propertiesOf(metadata).every(([name]) => name === "name" || name === "generateName");
  // A default there is refused elsewhere, with the reason.
  if (names && saysOnly(metadata, "type", "properties", "default")) return;
  const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  out.push(field.forbidden(`${path}.properties[metadata]`, why));
}
