import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceDefinition } from "@coxswain/api";
import { type KubeObject, StatusError } from "@coxswain/machinery";
import { partialObjectMetadata, partialObjectMetadataList, partialObjectMetadataListText } from "./metadata.ts";
import { parseIncludeObject, type TableOptions, tableFor, tableOfObject, tableText } from "./table.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

const columns = {
  definitions: [{ name: "Name", type: "string", format: "name", priority: 0, description: "d" }],
  cells: (obj: KubeObject) => [obj.metadata?.name ?? "", now],
};
const definition: ResourceDefinition = {
  group: "",
  version: "v1",
  resource: "configmaps",
  singular: "configmap",
  kind: "ConfigMap",
  listKind: "ConfigMapList",
  namespaced: true,
  verbs: new Set(["get"]),
  shortNames: [],
  categories: [],
  subresources: new Map(),
  type: { kind: "struct", name: "ConfigMap", shortName: "ConfigMap", fields: new Map(), atomic: false },
  strategy: { type: "ConfigMap", columns },
  storagePrefix: "/registry/configmaps/",
  storageVersion: "v1",
  hasStatus: false,
};

const object: KubeObject = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", resourceVersion: "5", labels: { x: "y" } },
  data: { k: "v" },
};

const shapes: readonly { name: string; opts: Omit<TableOptions, "now">; object: unknown }[] = [
  {
    name: "rows carry metadata by default",
    opts: {},
    object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata },
  },
  { name: "rows carry whole objects", opts: { includeObject: "Object" }, object },
  { name: "rows carry nothing", opts: { includeObject: "None" }, object: null },
  {
    name: "the old version names itself in the metadata too",
    opts: { version: "v1beta1" },
    object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: object.metadata },
  },
];
for (const { name, opts, object: expected } of shapes) {
  test(name, () => {
    const table = tableFor(definition, [{ object }], { ...opts, now, metadata: { resourceVersion: "9" } });
    assert.deepEqual(table, {
      kind: "Table",
      apiVersion: `meta.k8s.io/${opts.version ?? "v1"}`,
      metadata: { resourceVersion: "9" },
      columnDefinitions: columns.definitions,
      rows: [{ cells: ["a", now], object: expected }],
    });
  });

  test(`${name}, and the text says the same`, () => {
    for (const sources of [[], [{ object }], [{ object }, { object }]]) {
      const options = { ...opts, now, metadata: { resourceVersion: "9" } };
      const text = [...tableText(definition, sources, options)].join("");
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(tableFor(definition, sources, options))));
    }
  });
}

test("a row's known text is used as it is", () => {
  const text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}';
  const written = [...tableText(definition, [{ object, text }], { now, includeObject: "Object" })].join("");
  assert.ok(written.endsWith(`"object":${text}}]}`));
});

test("the Table of one object carries the object's resourceVersion", () => {
  assert.deepEqual(tableOfObject(definition, { object }, { now }).metadata, { resourceVersion: "5" });
});

test("later events of a watch repeat no headers", () => {
  assert.equal(tableFor(definition, [], { now, headers: false }).columnDefinitions, null);
});

test("a kind without cells shows its name and when it was made", () => {
  const plain = { ...definition, strategy: { type: "ConfigMap" } };
  const table = tableFor(plain, [{ object: { metadata: { name: "a", creationTimestamp: "2026-01-01T00:00:00Z" } } }], { now });
  assert.deepEqual(
    table.columnDefinitions?.map(({ name, type, format }) => [name, type, format]),
    [
      ["Name", "string", "name"],
      ["Created At", "date", ""],
    ],
  );
  assert.deepEqual(table.rows[0]?.cells, ["a", "2026-01-01T00:00:00Z"]);
});

test("an object without kind gets the definition's", () => {
  const [row] = tableFor(definition, [{ object: { metadata: { name: "a" } } }], { now, includeObject: "Object" }).rows;
  assert.deepEqual(row?.object, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } });
});

test("includeObject is Metadata, Object, None or nothing", () => {
  assert.equal(parseIncludeObject(undefined), "Metadata");
  assert.equal(parseIncludeObject(""), "Metadata");
  assert.equal(parseIncludeObject("None"), "None");
  assert.throws(
    () => parseIncludeObject("Some"),
    (error) =>
      error instanceof StatusError &&
      error.code === 400 &&
      error.message ===
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Some\": must be 'Metadata', 'Object', 'None', or empty",
  );
});

test("a list of metadata has kinds in its items and is the same as text", () => {
  const list = partialObjectMetadataList(definition, [object, object], { resourceVersion: "9" });
  assert.deepEqual(list.items[0], partialObjectMetadata(definition, object));
  for (const objects of [[], [object], [object, object]]) {
    const text = [...partialObjectMetadataListText(definition, objects, { resourceVersion: "9" })].join("");
    assert.deepEqual(JSON.parse(text), partialObjectMetadataList(definition, objects, { resourceVersion: "9" }));
  }
});
