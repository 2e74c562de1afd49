import assert from "node:assert/strict";
import { test } from "node:test";
import { customColumns } from "./columns.ts";

const now = Date.parse("2026-01-02T12:00:00Z");
const object = {
  metadata: { name: "a1", creationTimestamp: "2026-01-02T09:30:00Z" },
  spec: {
    row: "A",
    count: 4,
    big: 9007199254740993n,
    ratio: 3.14,
    booked: true,
    nothing: null,
    servers: [{ hosts: ["foo"] }, { hosts: ["bar", "baz"] }],
    due: "2026-01-01T23:30:00Z",
    later: "2026-01-03T00:00:00Z",
    zero: "0001-01-01T00:00:00Z",
    empty: "",
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};

const cells: readonly { type: string; path: string; cell: unknown }[] = [
  { type: "string", path: ".spec.row", cell: "A" },
  { type: "string", path: ".spec.count", cell: "4" },
  { type: "string", path: ".spec.big", cell: "9007199254740993" },
  { type: "string", path: ".spec.booked", cell: "true" },
  { type: "string", path: ".spec.nothing", cell: "<no value>" },
  { type: "string", path: ".spec.missing", cell: null },
  { type: "string", path: ".spec.servers[0].hosts[0]", cell: "foo" },
  { type: "string", path: ".spec.servers[1].hosts", cell: '["bar","baz"]' },
  { type: "string", path: ".spec.servers[*].hosts", cell: '["foo"]' },
  { type: "string", path: ".spec.servers[7].hosts", cell: null },
  { type: "string", path: '.status.conditions[?(@.type=="Ready")].status', cell: "True" },
  { type: "string", path: '.status.conditions[?(@.type=="Synced")].status', cell: null },
  { type: "integer", path: ".spec.count", cell: 4 },
  { type: "integer", path: ".spec.big", cell: 9007199254740993n },
  { type: "integer", path: ".spec.ratio", cell: 3 },
  { type: "integer", path: ".spec.row", cell: null },
  { type: "integer", path: ".spec.nothing", cell: null },
  { type: "number", path: ".spec.ratio", cell: 3.14 },
  { type: "number", path: ".spec.count", cell: 4 },
  { type: "number", path: ".spec.booked", cell: null },
  { type: "boolean", path: ".spec.booked", cell: true },
  { type: "boolean", path: ".spec.row", cell: null },
  { type: "date", path: ".spec.due", cell: "12h" },
  { type: "date", path: ".spec.later", cell: "<invalid>" },
  { type: "date", path: ".spec.row", cell: "<invalid>" },
  { type: "date", path: ".spec.empty", cell: "<unknown>" },
  { type: "date", path: ".spec.zero", cell: "<unknown>" },
  { type: "date", path: ".spec.missing", cell: null },
  { type: "date", path: ".spec.count", cell: null },
  { type: "unknown", path: ".spec.row", cell: null },
];
for (const { type, path, cell } of cells) {
  test(`${type} ${path} is ${JSON.stringify(String(cell))}`, () => {
    const columns = customColumns([{ name: "X", type, jsonPath: path }]);
    assert.deepEqual(columns.cells(object, now), ["a1", cell]);
  });
}

test("columns come as they are defined, after the name", () => {
  const { definitions: columns } = customColumns([
    { name: "Row", type: "string", jsonPath: ".spec.row" },
    { name: "Count", type: "integer", format: "int32", priority: 1, description: "How many.", jsonPath: ".spec.count" },
  ]);
  assert.deepEqual(
    columns.map(({ name, type, format, priority }) => [name, type, format, priority]),
    [
      ["Name", "string", "name", 0],
      ["Row", "string", "", 0],
      ["Count", "integer", "int32", 1],
    ],
  );
  assert.equal(columns[1]?.description, "Custom resource definition column (in JSONPath format): .spec.row");
  assert.equal(columns[2]?.description, "How many.");
});

for (const none of [undefined, []]) {
  test(`${JSON.stringify(none)} columns are name and age`, () => {
    const columns = customColumns(none);
    assert.deepEqual(
      columns.definitions.map(({ name, type }) => [name, type]),
      [
        ["Name", "string"],
        ["Age", "date"],
      ],
    );
    assert.deepEqual(columns.cells(object, now), ["a1", "150m"]);
  });
}

test("a path that cannot be parsed ends the columns", () => {
  const { definitions: columns } = customColumns([
    { name: "Row", type: "string", jsonPath: ".spec.row" },
    { name: "Bad", type: "string", jsonPath: ".spec[" },
    { name: "Count", type: "integer", jsonPath: ".spec.count" },
  ]);
  assert.deepEqual(
    columns.map(({ name }) => name),
    ["Name", "Row"],
  );
});
