/** Lists in pieces are, byte by byte, what they are as a whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeObject, stringifyJson, stringifyYaml } from "@coxswain/machinery";
import { encodeProtobuf, protobufListOf } from "../negotiation/protobuf.ts";
import { EventLoop } from "../storage/event-loop.ts";
import { indentedText, type ListParts, protobufBytes, yamlText } from "./list-pieces.ts";

const eventLoop = new EventLoop();
const configMap = (i: number): KubeObject => ({
  metadata: { name: `m-${i}`, namespace: "default", labels: { "a.b/c": "x\ny" }, creationTimestamp: "2026-01-01T00:00:00Z" },
  data: { text: `several\nlines\n  ${i}\n`, quoted: '"', number: "007", empty: "", long: "x ".repeat(100) },
});
const lists = [0, 1, 2, 49, 50, 51, 230].map((count): [number, ListParts] => [
  count,
  {
    head: { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "7", continue: "next" } },
    key: "items",
    items: Array.from({ length: count }, (_, i) => configMap(i)),
  },
]);
const table: ListParts = {
  head: { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "7" }, columnDefinitions: [{ name: "Name" }] },
  key: "rows",
  items: [{ cells: ["a", 1, null, { nested: [] }], object: null }, { cells: [] }],
};
const all = [...lists, [-1, table] as const];

const wholeOf = ({ head, key, items }: ListParts): object => ({ ...head, [key]: [...items] });

for (const [count, parts] of all) {
  const name = count < 0 ? "a Table" : `a list of ${count}`;
  test(`${name} as indented JSON`, () => assert.equal([...indentedText(parts)].join(""), stringifyJson(wholeOf(parts), 2)));
  test(`${name} as YAML`, async () => assert.equal(await yamlText(parts, eventLoop), await stringifyYaml(wholeOf(parts))));
}

for (const [count, parts] of lists)
  test(`a list of ${count} as protobuf`, async () => {
    const list = protobufListOf(parts.head, { apiVersion: "v1", kind: "ConfigMap" });
    assert.ok(list !== undefined);
    assert.deepEqual(Buffer.from(await protobufBytes(list, parts, eventLoop)), Buffer.from(encodeProtobuf({ ...wholeOf(parts) })));
  });

test("metadata alone as protobuf", async () => {
  const items = [1, 2].map((i) => ({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: configMap(i).metadata }));
  const head = { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: {} };
  const parts: ListParts = { head, key: "items", items };
  const list = protobufListOf(head, { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" });
  assert.ok(list !== undefined);
  assert.deepEqual(Buffer.from(await protobufBytes(list, parts, eventLoop)), Buffer.from(encodeProtobuf({ ...wholeOf(parts) })));
});

test("what has no message is not encoded item by item", () => {
  assert.equal(
    protobufListOf({ apiVersion: "example.com/v1", kind: "ShipList" }, { apiVersion: "example.com/v1", kind: "Ship" }),
    undefined,
  );
});
