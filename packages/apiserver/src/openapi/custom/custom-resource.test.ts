import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry, publishedSchema, type ResourceDefinition } from "@coxswain/api";
import { OpenApiDocuments } from "../openapi-documents.ts";

const registry = createResourceRegistry();
const like = registry.find("apps", "v1", "deployments")!;
const gvk = { group: "boats.example.com", version: "v1", kind: "Seat" };
const row = { type: "string", description: "The letter on the armrest.", nullable: true };

const seats = (group = gvk.group): ResourceDefinition => ({
  ...like,
  ...gvk,
  group,
  resource: "seats",
  singular: "seat",
  listKind: "SeatList",
  get type(): never {
    throw new Error("describing a resource must not compile its schema");
  },
  get strategy(): never {
    throw new Error("nor what it means for writes");
  },
  schema: publishedSchema({ type: "object", properties: { spec: { type: "object", properties: { row } } } }, { ...gvk, group }),
  subresources: new Map([
    ["status", { name: "status", ...gvk, group, verbs: ["get", "patch", "update"] }],
    ["scale", { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] }],
  ]),
});

interface Operation {
  readonly operationId: string;
  readonly consumes?: readonly string[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: object };
  readonly responses: Readonly<Record<string, object>>;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: object;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const read = async (document: Promise<{ readonly body: Uint8Array } | undefined>) =>
  JSON.parse(new TextDecoder().decode((await document)?.body));

registry.set(seats());
const documents = new OpenApiDocuments(registry, { version: "v1.36.0" });
const v3 = read(documents.v3("apis/boats.example.com/v1"));
const json = ["application/json", "application/yaml"];
const patches = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const written = ["dryRun", "fieldManager", "fieldValidation"];
const listed = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "shardSelector",
  "timeoutSeconds",
  "watch",
];

// What the builder of apiextensions-apiserver 0.36.3 makes of such a definition.
const operations = [
  { on: "seats get", id: "listBoatsExampleComV1NamespacedSeat", parameters: listed, consumes: [], codes: ["200"] },
  { on: "seats post", id: "createBoatsExampleComV1NamespacedSeat", parameters: written, consumes: json, codes: ["200", "201", "202"] },
  { on: "seats delete", id: "deleteBoatsExampleComV1CollectionNamespacedSeat", parameters: listed, consumes: [], codes: ["200"] },
  { on: "seats/{name} get", id: "readBoatsExampleComV1NamespacedSeat", parameters: ["resourceVersion"], consumes: [], codes: ["200"] },
  { on: "seats/{name} put", id: "replaceBoatsExampleComV1NamespacedSeat", parameters: written, consumes: json, codes: ["200", "201"] },
  {
    on: "seats/{name} patch",
    id: "patchBoatsExampleComV1NamespacedSeat",
    parameters: [...written, "force"],
    consumes: patches,
    codes: ["200"],
  },
  {
    on: "seats/{name}/scale patch",
    id: "patchBoatsExampleComV1NamespacedSeatScale",
    parameters: [...written, "force"],
    consumes: patches,
    codes: ["200"],
  },
  {
    on: "seats/{name}/status get",
    id: "readBoatsExampleComV1NamespacedSeatStatus",
    parameters: ["resourceVersion"],
    consumes: [],
    codes: ["200"],
  },
];
for (const { on, id, parameters, consumes, codes } of operations) {
  test(`${on} is ${id}`, async () => {
    const { paths }: { paths: Paths } = await v3;
    const [path, method = ""] = on.split(" ");
    const operation = paths[`/apis/boats.example.com/v1/namespaces/{namespace}/${path}`]?.[method];
    assert.equal(operation?.operationId, id);
    assert.deepEqual(
      operation.parameters?.map(({ name }) => name),
      parameters,
    );
    assert.deepEqual(Object.keys(operation.requestBody?.content ?? {}), consumes);
    assert.deepEqual(Object.keys(operation.responses), [...codes, "401"]);
    assert.deepEqual(operation["x-kubernetes-group-version-kind"], gvk);
  });
}

test("a group of definitions has a document for each version, and no others", async () => {
  const { paths } = await read(documents.index());
  assert.deepEqual(
    Object.keys(paths).filter((path) => path.includes("boats")),
    ["apis/boats.example.com/v1"],
  );
  assert.equal(await documents.v3("apis/boats.example.com"), undefined);
  const described: { paths: Paths } = await v3;
  assert.deepEqual(
    Object.keys(described.paths).filter((path) => path.endsWith("/v1/") || path.includes("/watch/")),
    [],
  );
});

test("fields keep the definition's own descriptions", async () => {
  const { components } = await v3;
  assert.deepEqual(components.schemas["com.example.boats.v1.Seat"].properties.spec.properties.row, row);
});

test("version 2 says what it can", async () => {
  const { definitions, paths } = await read(documents.v2());
  assert.deepEqual(definitions["com.example.boats.v1.Seat"].properties.spec.properties.row, { description: row.description });
  assert.equal(definitions["com.example.boats.v1.SeatList"].properties.items.items.$ref, "#/definitions/com.example.boats.v1.Seat");
  const { get } = paths["/apis/boats.example.com/v1/namespaces/{namespace}/seats/{name}"];
  assert.deepEqual(get.consumes, json);
});

test("another definition changes no other document, nor reads their schemas again", async () => {
  let reads = 0;
  const own = createResourceRegistry();
  const first = seats();
  const { schema } = first;
  const get = () => {
    reads += 1;
    return schema;
  };
  own.set(Object.defineProperty(first, "schema", { get }));
  const from = new OpenApiDocuments(own, { version: "v1.36.0" });
  const before = await read(from.index());
  const known = reads;
  own.set(seats("more.example.com"));
  const after = await read(from.index());
  assert.equal(reads, known);
  delete after.paths["apis/more.example.com/v1"];
  assert.deepEqual(after, before);
});
