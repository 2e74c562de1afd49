/** OpenAPI 2.0: one document of everything, which kubectl up to 1.28 needs. */
import { createHash } from "node:crypto";
import { customDefinitionV2 } from "./custom/definition-v2.ts";
import { inPieces } from "./in-pieces.ts";
import { typeNameOfResource } from "./names.ts";
import type { Parameter } from "./parameters.ts";
import type { NamedOperation, NamedPath } from "./paths.ts";
import { type Schema, type SchemaSources, schemasOf } from "./schemas.ts";
import { codeNames, extensionsOf, typesIn } from "./v3.ts";

/** A JSON document; only its writer knows more of its form. */
export type Swagger = Readonly<Record<string, unknown>>;

export async function openApiV2(paths: readonly NamedPath[], sources: SchemaSources, version: string): Promise<Swagger> {
  const shared: SharedParameters = new Map();
  const pathItems = await mapInPieces(paths, (item): [string, object] => [item.path, pathItem(item, shared)]);
  const schemas = Object.entries(await schemasOf(typesIn(paths), sources));
  const custom = new Set(sources.custom.map(typeNameOfResource));
  const definition = (name: string, schema: Schema) => (custom.has(name) ? customDefinitionV2(schema, refTo) : definitionOf(schema));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: Object.fromEntries(pathItems),
    definitions: Object.fromEntries(await mapInPieces(schemas, ([name, schema]) => [name, definition(name, schema)])),
    parameters: Object.fromEntries(
      [...shared.values()].map(({ key, object }) => [key, object] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    securityDefinitions: { BearerToken: { type: "apiKey", name: "authorization", in: "header", description: "A bearer token." } },
    security: [{ BearerToken: [] }],
  };
}

async function mapInPieces<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  for await (const piece of inPieces(items, 200)) for (const item of piece) mapped.push(map(item));
  return mapped;
}

const refTo = (name: string): Schema => ({ $ref: `#/definitions/${name}` });

/** A built-in type's schema of OpenAPI 3.0 as far as 2.0 can say it: no defaults, no alternatives. */
function definitionOf(schema: Schema): Schema {
  const { $ref, allOf, default: _, oneOf, ...rest } = schema;
  if (typeof $ref === "string") return { ...rest, ...refTo($ref.slice($ref.lastIndexOf("/") + 1)) };
  const inner = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as Schema) : undefined;
  if (inner !== undefined && "$ref" in inner) return definitionOf({ ...rest, ...inner });
  const result: Record<string, unknown> = rest;
  if (oneOf !== undefined && rest.type === undefined) return { ...result, type: "string" };
  if (isSchema(rest.items)) result.items = definitionOf(rest.items);
  if (isSchema(rest.additionalProperties)) result.additionalProperties = definitionOf(rest.additionalProperties);
  if (isSchema(rest.properties)) {
    const properties = Object.entries(rest.properties).map(([name, property]) => [
      name,
      isSchema(property) ? definitionOf(property) : property,
    ]);
    result.properties = Object.fromEntries(properties);
  }
  return result;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

function pathItem({ parameters, operations }: NamedPath, shared: SharedParameters): object {
  const item: Record<string, unknown> = {};
  for (const operation of operations) item[operation.method] = operationObject(operation, shared);
  if (parameters.length > 0) item.parameters = parameters.map((parameter) => sharedParameter(parameter, shared));
  return item;
}

function operationObject(operation: NamedOperation, shared: SharedParameters): object {
  const parameters = operation.parameters.map((parameter) => sharedParameter(parameter, shared));
  if (operation.body !== undefined) parameters.unshift(bodyParameter(operation.body));
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    consumes: operation.consumes,
    produces: operation.produces,
    schemes: ["https"],
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: responsesOf(operation),
    ...extensionsOf(operation),
  };
}

/** By the one object that each parameter is. */
type SharedParameters = Map<Parameter, { readonly key: string; readonly object: object }>;

/**
 * Parameters that many operations have stand in one place. Those by which kubectl up to 1.26 decides whether the server
 * validates stand where they are used: it does not follow references.
 */
function sharedParameter(parameter: Parameter, shared: SharedParameters): object {
  const known = shared.get(parameter);
  if (known !== undefined) return { $ref: `#/parameters/${known.key}` };
  const { name, in: place, description, type } = parameter;
  const object = { name, in: place, description, type, ...(place === "path" ? { required: true } : {}), uniqueItems: true };
  if (name === "dryRun" || name === "fieldValidation" || name === "name") return object;
  const hash = createHash("sha256").update(JSON.stringify(object)).digest("base64url").slice(0, 8);
  shared.set(parameter, { key: `${name}-${hash}`, object });
  return sharedParameter(parameter, shared);
}

const bodyParameter = (body: NonNullable<NamedOperation["body"]>): object => ({
  name: "body",
  in: "body",
  ...(body.kind === "options" ? {} : { required: true }),
  schema: refTo(body.type),
});

function responsesOf({ answers }: NamedOperation): object {
  const responses: Record<string, unknown> = { 401: { description: "Unauthorized" } };
  for (const { code, type } of answers) {
    responses[code] = { description: codeNames[code], schema: type === "string" ? { type } : refTo(type) };
  }
  return responses;
}
