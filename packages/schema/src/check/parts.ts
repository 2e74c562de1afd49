/** The schemas inside a schema. Fields that hold a schema or something else are read here, and only here. */
import type { JsonSchema } from "../structural/schema.ts";

export const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema of all items; undefined for the older form with a schema for each position. */
export const itemsOf = ({ items }: JsonSchema): JsonSchema | undefined => (isSchema(items) ? items : undefined);

export const itemListOf = ({ items }: JsonSchema): readonly JsonSchema[] => (Array.isArray(items) ? items.filter(isSchema) : []);

/** The schema of fields that are not declared, where there is one: `true` is none. */
export const additionalOf = ({ additionalProperties: additional }: JsonSchema): JsonSchema | undefined =>
  isSchema(additional) ? additional : undefined;

/** Own properties only: a field called `constructor` is a field. */
export const propertyOf = ({ properties }: JsonSchema, name: string): JsonSchema | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;

export const propertiesOf = ({ properties }: JsonSchema): readonly Child[] =>
  properties === undefined ? noChildren : Object.entries(properties);

/** Quicker than propertiesOf where there are thousands: no list of them is made. Schemas are JSON: what they have is their own. */
export function forEachProperty({ properties }: JsonSchema, visit: (name: string, schema: JsonSchema) => void): void {
  for (const name in properties) visit(name, properties[name] as JsonSchema);
}

export const hasProperties = ({ properties }: JsonSchema): boolean => {
  for (const _ in properties) return true;
  return false;
};

/** A default of null is none. */
export const hasDefault = (schema: JsonSchema): boolean => schema.default !== undefined && schema.default !== null;

type Child = readonly [name: string, child: JsonSchema];

const noChildren: readonly Child[] = [];

/** Every schema directly inside, whatever it is for; with its name where it has one. */
export function childrenOf(schema: JsonSchema): readonly Child[] {
  let found: Child[] | undefined;
  const add = (name: string, child: unknown): void => {
    if (!isSchema(child)) return;
    found ??= [];
    found.push([name, child]);
  };
  for (const key in schema) {
    const value = schema[key as keyof JsonSchema];
    if (typeof value !== "object" || value === null) continue;
    switch (key) {
      case "items":
      case "not":
      case "additionalProperties":
      case "additionalItems":
      case "allOf":
      case "anyOf":
      case "oneOf":
        if (Array.isArray(value)) for (const each of value) add("", each);
        else add("", value);
        break;
      case "properties":
      case "patternProperties":
      case "definitions":
      case "dependencies":
        for (const name in value) add(name, (value as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return found ?? noChildren;
}

/** Whether the schema, or one inside it, is such. Any depth will do. */
export function someSchema(schema: JsonSchema | undefined, test: (schema: JsonSchema) => boolean): boolean {
  const rest = schema === undefined ? [] : [schema];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (test(next)) return true;
    for (const [, child] of childrenOf(next)) rest.push(child);
  }
  return false;
}

/** Whether a field says nothing: what Go calls its zero value. */
export const saysNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0);

/** Whether a schema says nothing but what `ignored` names. */
export const saysOnly = (schema: JsonSchema, ...ignored: readonly (keyof JsonSchema)[]): boolean =>
  Object.entries(schema).every(([name, value]) => ignored.some((each) => each === name) || saysNothing(value));
