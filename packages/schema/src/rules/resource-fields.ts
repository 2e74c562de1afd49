/** What rules may read of every resource, and of those embedded in others, whether its schema names it or not. */
import { propertyOf } from "../check/parts.ts";
import type { JsonSchema } from "../structural/schema.ts";

const text: JsonSchema = { type: "string" };
const implied = {
  kind: text,
  apiVersion: text,
  metadata: { type: "object", properties: { name: text, generateName: text } },
} satisfies Record<string, JsonSchema>;

/** With kind, apiVersion, metadata.name and metadata.generateName; what the schema says about some of these is kept only if it has all. */
export function withResourceFields(schema: JsonSchema): JsonSchema {
  const metadata = propertyOf(schema, "metadata");
  const isText = (of: JsonSchema | undefined, name: string): boolean => of !== undefined && propertyOf(of, name)?.type === "string";
  const complete = isText(schema, "kind") && isText(schema, "apiVersion") && isText(metadata, "name") && isText(metadata, "generateName");
  return complete && metadata?.type === "object" ? schema : { ...schema, properties: { ...schema.properties, ...implied } };
}

export const isEmbedded = (schema: JsonSchema): boolean => schema["x-kubernetes-embedded-resource"] === true;
