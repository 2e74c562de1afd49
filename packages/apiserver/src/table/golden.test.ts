/** Tables and metadata against the recorded answers, made from the objects that were recorded beside them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import { partialObjectMetadata } from "./metadata.ts";
import { type Table, type TableOptions, tableFor } from "./table.ts";

const golden = join(import.meta.dirname, "../../../../tests/golden/expected");
const registry = createResourceRegistry();

const cases: readonly (Omit<TableOptions, "now"> & {
  readonly of: readonly [string, string, string];
  readonly scenario: string;
  readonly objects: string;
  readonly table: string;
})[] = [
  { of: ["", "v1", "configmaps"], scenario: "list", objects: "all", table: "table" },
  { of: ["", "v1", "configmaps"], scenario: "list", objects: "create 1", table: "table of one" },
  { of: ["", "v1", "configmaps"], scenario: "list", objects: "all", table: "table without objects", includeObject: "None" },
  { of: ["apps", "v1", "deployments"], scenario: "workloads", objects: "annotation bumps generation", table: "table" },
  { of: ["", "v1", "pods"], scenario: "workloads", objects: "kubelet writes status", table: "pod table" },
];
for (const { of, scenario, objects, table, ...opts } of cases) {
  test(`${scenario}: ${table}`, () => {
    const definition = registry.find(...of);
    assert.ok(definition);
    const recorded = answer(scenario, objects) as KubeObject & { readonly items?: readonly KubeObject[] };
    const sources = (recorded.items ?? [recorded]).map((object) => ({ object }));
    const made = tableFor(definition, sources, { ...opts, now: 0, metadata: { resourceVersion: "LIST" } });
    assert.deepEqual(comparable(made), comparable(answer(scenario, table) as unknown as Table));
  });
}

test("list: metadata only", () => {
  const definition = registry.find("", "v1", "configmaps");
  assert.ok(definition);
  assert.deepEqual(partialObjectMetadata(definition, answer("list", "create 1")), answer("list", "metadata only"));
});

function answer(scenario: string, step: string): KubeObject {
  const { answers } = JSON.parse(readFileSync(join(golden, `${scenario}.json`), "utf8"));
  return answers.find((candidate: { step: string }) => candidate.step === step)?.body;
}

/** Without what columns mean in words, and with ages as the recording replaced them. */
function comparable(table: Table): unknown {
  const columns = table.columnDefinitions ?? [];
  return {
    ...table,
    columnDefinitions: columns.map(({ description: _, ...column }) => column),
    rows: table.rows.map(({ cells, object }) => ({ cells: cells.map((cell, i) => (columns[i]?.name === "Age" ? "AGE" : cell)), object })),
  };
}
