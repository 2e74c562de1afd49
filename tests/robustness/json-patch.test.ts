/** JSON patches that are too long, or that make much of little. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, startApi } from "../integration/api.ts";
import { configMap, configMaps } from "./target.ts";

let api: Api;
before(async () => {
  api = await startApi();
  await api.send("POST", configMaps, { body: configMap("patched", { a: "1" }) });
});

const type = "application/json-patch+json";
const patch = (operations: readonly object[]) => api.send("PATCH", `${configMaps}/patched`, { type, body: operations });
const repeat = (count: number, operation: object): object[] => new Array<object>(count).fill(operation);

test("10,000 operations are carried out, 10,001 are refused", async () => {
  assert.equal((await patch(repeat(10_000, { op: "add", path: "/data/k", value: "v" }))).status, 200);
  const { status, body } = await patch(repeat(10_001, { op: "add", path: "/data/k", value: "v" }));
  assert.equal(status, 413);
  assert.equal(body.reason, "RequestEntityTooLarge");
  assert.equal(body.message, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001");
});

test("of 10,001 operations nothing is decoded but their number", async () => {
  assert.equal((await patch(repeat(10_001, { op: "nonsense" }))).status, 413);
});

const megabyte = "x".repeat(1_000_000);
const manyStrings = new Array<string>(300_000).fill("");
const cases: readonly { readonly name: string; readonly operations: readonly object[] }[] = [
  {
    name: "copies a document into itself, again and again",
    operations: Array.from({ length: 60 }, (_, i) => ({ op: "copy", from: "/data", path: `/data/c${i}` })),
  },
  {
    name: "copies a megabyte 9,999 times",
    operations: [
      { op: "add", path: "/data/m", value: megabyte },
      ...Array.from({ length: 9_999 }, (_, i) => ({ op: "copy", from: "/data/m", path: `/data/c${i}` })),
    ],
  },
  {
    name: "inserts at the front of a long list",
    operations: [
      { op: "add", path: "/metadata/finalizers", value: manyStrings },
      ...repeat(9_990, { op: "add", path: "/metadata/finalizers/0", value: "a" }),
    ],
  },
  {
    name: "moves the ends of a long list",
    operations: [
      { op: "add", path: "/metadata/finalizers", value: manyStrings },
      ...repeat(9_990, { op: "move", from: "/metadata/finalizers/0", path: "/metadata/finalizers/-" }),
    ],
  },
  {
    name: "compares with a long list",
    operations: [{ op: "add", path: "/x", value: manyStrings }, ...repeat(9_990, { op: "test", path: "/x", value: [] })],
  },
  { name: "has a pointer of a million steps", operations: [{ op: "add", path: "/a".repeat(1_000_000), value: 1 }] },
  {
    name: "adds to an index that no list has",
    operations: [
      { op: "add", path: "/metadata/finalizers", value: [] },
      { op: "add", path: "/metadata/finalizers/999999999", value: "a" },
    ],
  },
  { name: "moves a container into itself", operations: [{ op: "move", from: "/metadata", path: "/metadata/inside" }] },
  { name: "removes everything", operations: [{ op: "remove", path: "" }] },
];
for (const { name, operations } of cases)
  test(`a patch that ${name}`, async () => {
    const { status, text } = await patch(operations);
    assert.ok(status === 400 || status === 422, `${status} ${text.slice(0, 200)}`);
    assert.deepEqual((await api.send("GET", `${configMaps}/patched`)).body.data, { a: "1", k: "v" });
  });
