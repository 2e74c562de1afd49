/** OpenAPI 3.0: one document for each group and version. @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3 */
import type { RequestBody } from "./operation.ts";
import type { Parameter } from "./parameters.ts";
import type { NamedOperation, NamedPath } from "./paths.ts";
import { refTo, type Schema, type SchemaSources, schemasOf } from "./schemas.ts";

export const openApiV3 = async (paths: readonly NamedPath[], sources: SchemaSources, version: string): Promise<object> => ({
  openapi: "3.0.0",
  info: { title: "Kubernetes", version },
  paths: Object.fromEntries(paths.map((item) => [item.path, pathItem(item)])),
  components: {
    schemas: await schemasOf(typesIn(paths), sources),
    securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header", description: "A bearer token." } },
  },
});

/** The types that operations name. */
export function* typesIn(paths: readonly NamedPath[]): Generator<string> {
  for (const { operations } of paths) {
    for (const { body, answers } of operations) {
      if (body !== undefined) yield body.type;
      for (const { type } of answers) if (type !== "string") yield type;
    }
  }
}

function pathItem({ parameters, operations }: NamedPath): object {
  const item: Record<string, unknown> = {};
  for (const operation of operations) item[operation.method] = operationObject(operation);
  if (parameters.length > 0) item.parameters = parameters.map(parameterObject);
  return item;
}

const operationObject = (operation: NamedOperation): object => ({
  tags: [operation.tag],
  description: operation.description,
  operationId: operation.id,
  ...(operation.parameters.length === 0 ? {} : { parameters: operation.parameters.map(parameterObject) }),
  ...(operation.body === undefined ? {} : { requestBody: bodyObject(operation.body, operation.consumes) }),
  responses: responsesOf(operation),
  ...extensionsOf(operation),
});

/** What kubectl reads: which kind an operation is for. */
export const extensionsOf = ({ action, gvk }: NamedOperation): object => ({
  ...(action === undefined ? {} : { "x-kubernetes-action": action }),
  ...(gvk === undefined ? {} : { "x-kubernetes-group-version-kind": { group: gvk.group, kind: gvk.kind, version: gvk.version } }),
});

const parameterObject = ({ name, in: place, description, type }: Parameter): object => ({
  name,
  in: place,
  description,
  ...(place === "path" ? { required: true } : {}),
  schema: { type, uniqueItems: true },
});

const bodyObject = ({ kind, type }: RequestBody, consumes: readonly string[]): object => ({
  content: contentOf(consumes, refTo(type)),
  ...(kind === "options" ? {} : { required: true }),
});

const contentOf = (types: readonly string[], schema: Schema): object => Object.fromEntries(types.map((type) => [type, { schema }]));

function responsesOf({ answers, produces }: NamedOperation): object {
  const responses: Record<string, unknown> = { 401: { description: "Unauthorized" } };
  for (const { code, type } of answers) {
    const schema = type === "string" ? { type } : refTo(type);
    responses[code] = { description: codeNames[code], content: contentOf(produces, schema) };
  }
  return responses;
}

export const codeNames = { 200: "OK", 201: "Created", 202: "Accepted" } as const;
