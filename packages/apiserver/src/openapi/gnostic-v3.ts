/**
 * Writes an OpenAPI v3 document as protobuf message `openapi.v3.Document`. Field numbers are those of gnostic's
 * OpenAPIv3.proto; messages are given as far as our documents use them.
 * @see https://github.com/google/gnostic-models/blob/main/openapiv3/OpenAPIv3.proto
 */
import { FieldWriter } from "./field-writer.ts";
import {
  any,
  asObject,
  boxed,
  choice,
  chosenFlag,
  double,
  each,
  type Fields,
  flag,
  map,
  message,
  text,
  type Write,
  whole,
  writeFields,
} from "./gnostic-fields.ts";

export function encodeOpenApiV3(document: object): Uint8Array {
  const out = new FieldWriter();
  writeFields(out, documentFields, asObject(document));
  return out.finish();
}

const reference = message({ $ref: [1, text] });
const schema: Write = (out, number, value) => out.message(number, () => writeFields(out, schemaFields, asObject(value)));
const schemaOrReference = choice((value) => ("$ref" in value ? [2, reference] : [1, schema]));

const additionalProperties: Write = (out, number, value) =>
  out.message(number, () => (typeof value === "boolean" ? chosenFlag(out, 2, value) : schemaOrReference(out, 1, value)));

/** The message has no room for objects and lists, and is empty for them. */
const defaultValue: Write = (out, number, value) =>
  out.message(number, () => {
    if (typeof value === "number" || typeof value === "bigint") double(out, 1, value);
    else if (typeof value === "boolean") chosenFlag(out, 2, value);
    else if (typeof value === "string") text(out, 3, value);
  });

const schemaFields: Fields = {
  nullable: [1, flag],
  externalDocs: [6, message({ description: [1, text], url: [2, text] })],
  example: [7, any],
  title: [9, text],
  multipleOf: [10, double],
  maximum: [11, double],
  exclusiveMaximum: [12, flag],
  minimum: [13, double],
  exclusiveMinimum: [14, flag],
  maxLength: [15, whole],
  minLength: [16, whole],
  pattern: [17, text],
  maxItems: [18, whole],
  minItems: [19, whole],
  uniqueItems: [20, flag],
  maxProperties: [21, whole],
  minProperties: [22, whole],
  required: [23, each(text)],
  enum: [24, each(any)],
  type: [25, text],
  allOf: [26, each(schemaOrReference)],
  oneOf: [27, each(schemaOrReference)],
  anyOf: [28, each(schemaOrReference)],
  not: [29, schema],
  items: [30, boxed(1, schemaOrReference)],
  properties: [31, map(schemaOrReference)],
  additionalProperties: [32, additionalProperties],
  default: [33, defaultValue],
  description: [34, text],
  format: [35, text],
  "x-": [36, any],
};

const content = map(message({ schema: [1, schemaOrReference] }));

const parameter = boxed(
  1,
  message({ name: [1, text], in: [2, text], description: [3, text], required: [4, flag], schema: [10, schemaOrReference] }),
);

const operation = message({
  tags: [1, each(text)],
  description: [3, text],
  operationId: [5, text],
  parameters: [6, each(parameter)],
  requestBody: [7, boxed(1, message({ description: [1, text], content: [2, content], required: [3, flag] }))],
  responses: [8, map(boxed(1, message({ description: [1, text], content: [3, content] })), 2)],
  "x-": [13, any],
});

const pathItem = message({
  get: [4, operation],
  put: [5, operation],
  post: [6, operation],
  delete: [7, operation],
  options: [8, operation],
  head: [9, operation],
  patch: [10, operation],
  parameters: [13, each(parameter)],
});

const securityScheme = message({ type: [1, text], description: [2, text], name: [3, text], in: [4, text] });

const documentFields: Fields = {
  openapi: [1, text],
  info: [2, message({ title: [1, text], version: [6, text] })],
  paths: [4, map(pathItem)],
  components: [5, message({ schemas: [1, map(schemaOrReference)], securitySchemes: [7, map(boxed(1, securityScheme))] })],
};
