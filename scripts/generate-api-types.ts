/**
 * Writes what follows from packages/api/reference: packages/types/src, one TypeScript file of interfaces for each group and
 * version, and packages/api/src/types, one JSON file of facts for each, with the facts of resources and of protobuf.
 *
 * usage: node scripts/generate-api-types.ts [OUT_DIR], a folder that gets both paths in it
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FieldFacts, factsModule, fileOf, interfaceFiles, type TypeFacts } from "./api-types.ts";
import { root } from "./checks/tree.ts";

const reference = join(root, "packages/api/reference");
const [outDir = root] = process.argv.slice(2);
const factsDir = join(outDir, "packages/api/src/types");
const typesDir = join(outDir, "packages/types/src");
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(reference, name), "utf8"));
const types = readJson("types.json") as Record<string, TypeFacts>;
const goFacts = readJson("go-facts.json") as Record<string, Record<string, "pointer" | "omit">>;

const files = new Map<string, [string, TypeFacts][]>();
for (const [name, facts] of Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))) {
  const file = fileOf(name);
  const list = files.get(file) ?? [];
  list.push([name, withGoFacts(name, facts)]);
  files.set(file, list);
}

for (const folder of [factsDir, typesDir]) mkdirSync(folder, { recursive: true });
for (const [file, text] of interfaceFiles(files)) writeFileSync(join(typesDir, file), text);
writeFileSync(join(factsDir, "all.ts"), factsModule([...files.keys()].sort()));
for (const [file, list] of files) writeFileSync(join(factsDir, `${file}.json`), objectText(list));
writeFileSync(join(factsDir, "wire.json"), objectText(Object.entries(readJson("protobuf-wire-types.json") as object)));
const resources = (readJson("resources.json") as readonly Record<string, unknown>[]).map(withoutColumns);
writeFileSync(join(factsDir, "resources.json"), `[\n${resources.map((r) => JSON.stringify(r)).join(",\n")}\n]\n`);

/** One line for each entry, so that a change shows which it concerns. */
function objectText(entries: readonly (readonly [string, unknown])[]): string {
  const lines = entries.map(([name, facts]) => `${JSON.stringify(name)}:${JSON.stringify(facts)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** The columns of a kind's Table stand with their cells, in its columns.ts; a test compares their heads with the reference. */
function withoutColumns({ columns: _, ...facts }: Record<string, unknown>): Record<string, unknown> {
  return facts;
}

function withGoFacts(name: string, facts: TypeFacts): TypeFacts {
  const known = goFacts[name];
  if (facts.fields === undefined || known === undefined) return facts;
  const fields = Object.fromEntries(
    Object.entries(facts.fields).map(([field, f]): [string, FieldFacts] => {
      const go = known[field];
      return [field, go === undefined ? f : { ...f, go }];
    }),
  );
  return { ...facts, fields };
}
