/**
 * Writes an OpenAPI v2 document as protobuf message `openapi.v2.Document`. Field numbers are those of gnostic's
 * OpenAPIv2.proto; messages are given as far as our documents use them.
 * @see https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
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
import type { Swagger } from "./v2.ts";

/** Members for which there is no field are left out: schemas of custom resources may have any. */
export function encodeSwagger(document: Swagger): Uint8Array {
  const out = new FieldWriter();
  writeFields(out, documentFields, document);
  return out.finish();
}

const schema: Write = (out, number, value) => out.message(number, () => writeFields(out, schemaFields, asObject(value)));
const schemaFields: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  multipleOf: [6, double],
  maxLength: [11, whole],
  minLength: [12, whole],
  pattern: [13, text],
  maxItems: [14, whole],
  minItems: [15, whole],
  uniqueItems: [16, flag],
  maxProperties: [17, whole],
  minProperties: [18, whole],
  required: [19, each(text)],
  enum: [20, each(any)],
  additionalProperties: [
    21,
    (out, number, value) => out.message(number, () => (typeof value === "boolean" ? chosenFlag(out, 2, value) : schema(out, 1, value))),
  ],
  type: [22, boxed(1, each(text))],
  items: [23, boxed(1, each(schema))],
  allOf: [24, each(schema)],
  properties: [25, map(schema)],
  externalDocs: [29, message({ description: [1, text], url: [2, text] })],
  example: [30, any],
  "x-": [31, any],
};

const nonBodyFields: Fields = {
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
};
const queryFields: Fields = { ...nonBodyFields, type: [6, text], uniqueItems: [20, flag] };
const pathFields: Fields = { ...nonBodyFields, type: [5, text], uniqueItems: [19, flag] };
const bodyFields: Fields = { description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] };

const nonBody = choice((value) => (value.in === "query" ? [3, message(queryFields)] : [4, message(pathFields)]));
const parameter = choice((value) => (value.in === "body" ? [1, message(bodyFields)] : [2, nonBody]));
const reference = message({ $ref: [1, text] });
const parameterItem = choice((value) => ("$ref" in value ? [2, reference] : [1, parameter]));

const response = message({ description: [1, text], schema: [2, boxed(1, schema)] });

const operation = message({
  tags: [1, each(text)],
  description: [3, text],
  operationId: [5, text],
  produces: [6, each(text)],
  consumes: [7, each(text)],
  parameters: [8, each(parameterItem)],
  responses: [9, map(boxed(1, response))],
  schemes: [10, each(text)],
  "x-": [13, any],
});

const pathItem = message({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, each(parameterItem)],
});

const apiKey = message({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] });

const documentFields: Fields = {
  swagger: [1, text],
  info: [2, message({ title: [1, text], version: [2, text] })],
  paths: [8, map(pathItem, 2)],
  definitions: [9, map(schema)],
  parameters: [10, map(parameter)],
  security: [12, each(map(boxed(1, each(text))))],
  securityDefinitions: [13, map(boxed(2, apiKey))],
};
