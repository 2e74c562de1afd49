import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry, type ResourceDefinition } from "@coxswain/api";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import { OpenApiDocuments, protobufV2, protobufV3 } from "./openapi-documents.ts";
import { answerOpenApi } from "./openapi-handler.ts";
import { refsIn } from "./schemas.ts";

const version = "v1.36.0";
const registry = createResourceRegistry();
const documents = new OpenApiDocuments(registry, { version });

const now = Date.parse("2026-01-02T03:04:05Z");
const get = (path: string, headers: Record<string, string> = {}, from = documents): Promise<Reply | undefined> => {
  const [place = "", query = ""] = path.split("?");
  const request: HttpRequest = { method: "GET", path: place, query, headers, remoteAddress: "", http1: false };
  return answerOpenApi(from, request, place.split("/").filter(Boolean), now);
};
const bytesOf = (reply: Reply | undefined): Uint8Array => {
  assert.equal(reply?.body.kind, "bytes");
  return reply.body.bytes;
};
const jsonOf = async (path: string, from = documents) => JSON.parse(new TextDecoder().decode(bytesOf(await get(path, {}, from))));

interface Operation {
  /** Absent in the parameters, which stand among the operations. */
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: { readonly group: string; readonly version: string; readonly kind: string };
}
type PathItem = Readonly<Record<string, Operation>>;
interface V3 {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

const groupVersions = registry.groups().flatMap((group) => registry.versions(group).map((v) => ({ group, version: v })));
const documentOf = ({ group, version }: { group: string; version: string }): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

for (const groupVersion of groupVersions) {
  const name = documentOf(groupVersion);
  test(`${name} is complete`, async () => {
    const { openapi, paths, components }: V3 = await jsonOf(`/openapi/v3/${name}`);
    assert.equal(openapi, "3.0.0");
    for (const ref of [...refsIn(paths), ...refsIn(components)]) {
      assert.ok(components.schemas[ref.replace("#/components/schemas/", "")], ref);
    }
    const ids = Object.values(paths).flatMap((item) => Object.values(item).flatMap((operation) => operation.operationId ?? []));
    assert.equal(new Set(ids).size, ids.length, "operation ids are unique");
    for (const definition of registry.resources(groupVersion.group, groupVersion.version)) checkResource(definition, paths, `/${name}`);
  });
}

/** What kubectl looks for: a PATCH for the kind, that says whether the server validates fields. */
function checkResource(definition: ResourceDefinition, paths: V3["paths"], root: string): void {
  const { resource, namespaced, verbs, group, version, kind } = definition;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${resource}` : `${root}/${resource}`;
  assert.ok(paths[collection] ?? paths[`${collection}/{name}`], collection);
  for (const subresource of definition.subresources.keys()) assert.ok(paths[`${collection}/{name}/${subresource}`], subresource);
  if (!verbs.has("patch")) return;
  const patch = paths[`${collection}/{name}`]?.patch;
  assert.deepEqual(patch?.["x-kubernetes-group-version-kind"], { group, version, kind });
  assert.deepEqual(
    patch.parameters?.map(({ name }) => name),
    ["dryRun", "fieldManager", "fieldValidation", "force"],
  );
  assert.ok(patch.requestBody?.content["application/strategic-merge-patch+json"]);
}

const operations = [
  { path: "/api/v1/pods", method: "get", id: "listCoreV1PodForAllNamespaces", action: "list" },
  { path: "/api/v1/namespaces/{namespace}/pods", method: "delete", id: "deleteCoreV1CollectionNamespacedPod", action: "deletecollection" },
  { path: "/api/v1/namespaces/{namespace}/pods/{name}/exec", method: "get", id: "connectCoreV1GetNamespacedPodExec", action: "connect" },
  {
    path: "/api/v1/nodes/{name}/proxy/{path}",
    method: "options",
    id: "connectCoreV1OptionsNodeProxyWithPath",
    action: "connect",
  },
  { path: "/api/v1/namespaces/{namespace}/pods/{name}/log", method: "get", id: "readCoreV1NamespacedPodLog", action: "get" },
  { path: "/api/v1/namespaces/{name}/finalize", method: "put", id: "replaceCoreV1NamespaceFinalize", action: "put" },
  {
    path: "/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
    method: "post",
    id: "createCoreV1NamespacedServiceAccountToken",
    action: "post",
  },
  { path: "/api/v1/watch/nodes", method: "get", id: "watchCoreV1NodeList", action: "watchlist" },
];
for (const { path, method, id, action } of operations) {
  test(`${method.toUpperCase()} ${path} is ${id}`, async () => {
    const { paths }: V3 = await jsonOf("/openapi/v3/api/v1");
    assert.equal(paths[path]?.[method]?.operationId, id);
    assert.equal(paths[path]?.[method]?.["x-kubernetes-action"], action);
  });
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === "description" && typeof member === "string" ? undefined : member)));
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const fields = [
  {
    of: "io.k8s.api.core.v1.PodSpec.containers",
    is: {
      type: "array",
      items: { allOf: [ref("io.k8s.api.core.v1.Container")], default: {} },
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    },
  },
  { of: "io.k8s.api.core.v1.ContainerPort.protocol", is: { type: "string", default: "TCP", enum: ["SCTP", "TCP", "UDP"] } },
  { of: "io.k8s.api.core.v1.Pod.metadata", is: { allOf: [ref(`${meta}.ObjectMeta`)], default: {} } },
  { of: "io.k8s.api.core.v1.Secret.data", is: { type: "object", additionalProperties: { type: "string", format: "byte" } } },
  { of: "io.k8s.api.core.v1.ServiceSpec.healthCheckNodePort", is: { type: "integer", format: "int32" } },
];
for (const { of, is } of fields) {
  test(`the schema of ${of}`, async () => {
    const { components }: V3 = await jsonOf("/openapi/v3/api/v1");
    const [, type, field] = /^(.*)\.([^.]*)$/.exec(of) ?? [];
    const properties = components.schemas[type!]!.properties as Record<string, unknown>;
    assert.deepEqual(withoutDescriptions(properties[field!]), is);
  });
}

test("options belong to every group and version", async () => {
  const { components }: V3 = await jsonOf("/openapi/v3/apis/storage.k8s.io/v1");
  assert.deepEqual(components.schemas[`${meta}.DeleteOptions`]?.["x-kubernetes-group-version-kind"], [
    { group: "", kind: "DeleteOptions", version: "v1" },
    { group: "storage.k8s.io", kind: "DeleteOptions", version: "v1" },
  ]);
});

test("a document with its hash may be kept for good, an old hash leads to the new one", async () => {
  const { paths } = await jsonOf("/openapi/v3");
  const url: string = paths["apis/apps/v1"].serverRelativeURL;
  const current = await get(`${url}&timeout=32s`);
  assert.equal(current?.status, 200);
  assert.equal(current.headers?.["cache-control"], "public, immutable");
  assert.equal(current.headers?.expires, "Sat, 02 Jan 2027 03:04:05 GMT");
  assert.equal(current.headers?.etag, `"${url.split("hash=")[1]}"`);
  const old = await get("/openapi/v3/apis/apps/v1?hash=OLD");
  assert.equal(old?.status, 301);
  assert.equal(old.headers?.location, url);
  const plain = await get("/openapi/v3/apis/apps/v1");
  assert.equal(plain?.headers?.["cache-control"], undefined);
  assert.equal((await get("/openapi/v3/apis/apps/v1", { "if-none-match": String(plain?.headers?.etag) }))?.status, 304);
});

test("every document of the index is there", async () => {
  const { paths } = await jsonOf("/openapi/v3");
  for (const path of ["api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "version"]) assert.ok(paths[path], path);
  for (const { serverRelativeURL } of Object.values(paths) as { serverRelativeURL: string }[]) {
    assert.equal((await get(serverRelativeURL))?.status, 200, serverRelativeURL);
  }
  for (const path of ["api/v2", "apis/nothing", "apis/apps/v9", "apis/apps/v1/x", "apis//v1", "x"]) {
    assert.equal(await get(`/openapi/v3/${path}`), undefined, path);
  }
});

test("OpenAPI v2 describes the same operations", async () => {
  const v2 = await jsonOf("/openapi/v2");
  assert.equal(v2.swagger, "2.0");
  for (const reference of refsIn(v2)) {
    const [, kind, name] = reference.split("/");
    assert.ok(v2[kind!][name!], reference);
  }
  for (const groupVersion of groupVersions) {
    const { paths }: V3 = await jsonOf(`/openapi/v3/${documentOf(groupVersion)}`);
    for (const path of Object.keys(paths)) assert.deepEqual(Object.keys(v2.paths[path]).sort(), Object.keys(paths[path]!).sort(), path);
  }
  const patch = v2.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"].patch;
  assert.ok(patch.parameters.some(({ name }: { name?: string }) => name === "fieldValidation"));
});

const accepts = [
  { accept: undefined, status: 200, type: "application/json" },
  { accept: "*/*", status: 200, type: "application/json" },
  { accept: "application/json", status: 200, type: "application/json" },
  { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", status: 200, type: protobufV2 },
  { accept: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", status: 200, type: protobufV2 },
  { accept: "text/html", status: 406, type: "" },
];
for (const { accept, status, type } of accepts) {
  test(`OpenAPI v2 for ${accept} is ${type}`, async () => {
    const reply = await get("/openapi/v2", accept === undefined ? {} : { accept });
    assert.equal(reply?.status, status);
    assert.equal(reply.contentType, type);
  });
}

const acceptsV3 = [
  { accept: "application/json, */*", status: 200, type: "application/json" },
  { accept: "application/com.github.proto-openapi.spec.v3@v1.0+protobuf", status: 200, type: protobufV3 },
  { accept: "application/com.github.proto-openapi.spec.v3.v1.0+protobuf", status: 200, type: protobufV3 },
  { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", status: 406, type: "" },
];
for (const { accept, status, type } of acceptsV3) {
  test(`OpenAPI v3 for ${accept} is ${type}`, async () => {
    const reply = await get("/openapi/v3/apis/apps/v1", { accept });
    assert.equal(reply?.status, status);
    assert.equal(reply.contentType, type);
  });
}

test("the protobuf form of version 3 has every path and schema", async () => {
  const { paths, components }: V3 = await jsonOf("/openapi/v3/apis/apps/v1");
  const message = fieldsOf(bytesOf(await get("/openapi/v3/apis/apps/v1", { accept: protobufV3 })));
  const names = (parts: readonly Uint8Array[] | undefined): string[] => (parts ?? []).map((part) => textOf(fieldsOf(part).get(1)?.[0]));
  assert.equal(textOf(message.get(1)?.[0]), "3.0.0");
  assert.deepEqual(names(fieldsOf(message.get(4)![0]!).get(1)), Object.keys(paths));
  const schemas = fieldsOf(fieldsOf(message.get(5)![0]!).get(1)![0]!).get(1);
  assert.deepEqual(names(schemas), Object.keys(components.schemas));
});

test("the protobuf form has every path and definition", async () => {
  const v2 = await jsonOf("/openapi/v2");
  const message = fieldsOf(bytesOf(await get("/openapi/v2", { accept: protobufV2 })));
  const names = (parts: readonly Uint8Array[] | undefined): string[] => (parts ?? []).map((part) => textOf(fieldsOf(part).get(1)?.[0]));
  assert.equal(textOf(message.get(1)?.[0]), "2.0");
  assert.deepEqual(names(fieldsOf(message.get(8)![0]!).get(2)), Object.keys(v2.paths));
  assert.deepEqual(names(fieldsOf(message.get(9)![0]!).get(1)), Object.keys(v2.definitions));
});

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** The length-delimited fields of a protobuf message by number. */
function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.byteLength) {
    const key = varint();
    if (key % 8 === 0) varint();
    else {
      assert.equal(key % 8, 2);
      const length = varint();
      const number = Math.floor(key / 8);
      fields.set(number, [...(fields.get(number) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}
