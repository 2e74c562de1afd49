/**
 * Writes an OpenAPI v2 document as protobuf message `openapi.v2.Document`. Field numbers are those of gnostic's
 * OpenAPIv2.proto; messages are given as far as our documents use them.
 * @see https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
 */
import type { Swagger } from "./v2.ts";

/** @throws Error on a member for which there is no field here */
export const encodeSwagger = (document: Swagger): Uint8Array => encode(documentFields(), document);

type Writer = (number: number, value: unknown) => Uint8Array[];
/** By the member's name in JSON. `x-` stands for all extensions. */
type Fields = Readonly<Record<string, readonly [number: number, write: Writer]>>;

const utf8 = new TextEncoder();

const text: Writer = (number, value) => delimited(number, [utf8.encode(String(value))]);
const flag: Writer = (number, value) => (value === true ? [tag(number, 0), varint(1)] : []);
/** An Any holds YAML, which JSON is. */
const any: Writer = (number, value) => delimited(number, text(2, JSON.stringify(value)));
const each =
  (write: Writer): Writer =>
  (number, value) =>
    asList(value).flatMap((item) => write(number, item));
/** A JSON object as a message with a repeated field of named values. */
const map =
  (write: Writer, entry = 1): Writer =>
  (number, value) =>
    delimited(
      number,
      Object.entries(asObject(value)).flatMap(([name, item]) => delimited(entry, [...text(1, name), ...write(2, item)])),
    );
const message =
  (fields: () => Fields): Writer =>
  (number, value) =>
    delimited(number, [encode(fields(), asObject(value))]);
/** A message whose only field is a choice, made by what the value looks like. */
const wrapped =
  (choose: (value: Readonly<Record<string, unknown>>) => readonly [number, Writer]): Writer =>
  (number, value) => {
    const [inner, write] = choose(asObject(value));
    return delimited(number, write(inner, value));
  };
const boxed =
  (inner: number, write: Writer): Writer =>
  (number, value) =>
    delimited(number, write(inner, value));

const schema: Writer = message(() => schemaFields);
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
  additionalProperties: [21, (number, value) => delimited(number, typeof value === "boolean" ? flag(2, value) : schema(1, value))],
  type: [22, boxed(1, each(text))],
  items: [23, boxed(1, each(schema))],
  allOf: [24, each(schema)],
  properties: [25, map(schema)],
  externalDocs: [29, message(() => ({ description: [1, text], url: [2, text] }))],
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

const nonBody = wrapped((value) => (value.in === "query" ? [3, message(() => queryFields)] : [4, message(() => pathFields)]));
const parameter = wrapped((value) => (value.in === "body" ? [1, message(() => bodyFields)] : [2, nonBody]));
const reference = message(() => ({ $ref: [1, text] }));
const parameterItem = wrapped((value) => ("$ref" in value ? [2, reference] : [1, parameter]));

const response = message(() => ({ description: [1, text], schema: [2, boxed(1, schema)] }));

const operation = message(() => ({
  tags: [1, each(text)],
  description: [3, text],
  operationId: [5, text],
  produces: [6, each(text)],
  consumes: [7, each(text)],
  parameters: [8, each(parameterItem)],
  responses: [9, map(boxed(1, response))],
  schemes: [10, each(text)],
  "x-": [13, any],
}));

const pathItem = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, each(parameterItem)],
}));

const apiKey = message(() => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }));

const documentFields = (): Fields => ({
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  paths: [8, map(pathItem, 2)],
  definitions: [9, map(schema)],
  parameters: [10, map(parameter)],
  security: [12, each(map(boxed(1, each(text))))],
  securityDefinitions: [13, map(boxed(2, apiKey))],
});

function encode(fields: Fields, value: Readonly<Record<string, unknown>>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [name, member] of Object.entries(value)) {
    const extension = name.startsWith("x-");
    const field = fields[extension ? "x-" : name];
    if (field === undefined) throw new Error(`OpenAPI v2 in protobuf has no place for ${name}`);
    const [number, write] = field;
    if (extension) parts.push(...delimited(number, [...text(1, name), ...write(2, member)]));
    else parts.push(...write(number, member));
  }
  return joined(parts);
}

function double(number: number, value: unknown): Uint8Array[] {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, Number(value), true);
  return [tag(number, 1), bytes];
}

function whole(number: number, value: unknown): Uint8Array[] {
  return [tag(number, 0), varint(Number(value))];
}

function delimited(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return [tag(number, 2), varint(length), ...parts];
}

const tag = (number: number, wireType: number): Uint8Array => varint(number * 8 + wireType);

/** @param value a whole number from 0 to 2^53 */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const asObject = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null ? { ...value } : {});
