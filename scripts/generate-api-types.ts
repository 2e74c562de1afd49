/**
 * Writes packages/api/src/types from the reference data and from what go-facts knows of the Go clients:
 * one JSON file of facts and one TypeScript file of interfaces for each group and version.
 *
 * usage: node scripts/generate-api-types.ts REFERENCE_DIR GO_FACTS_JSON OUT_DIR
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FieldFacts, fileOf, type TypeFacts, typescriptFiles } from "./api-types.ts";

const [referenceDir, goFactsFile, outDir] = process.argv.slice(2);
if (referenceDir === undefined || goFactsFile === undefined || outDir === undefined) {
  throw new Error("usage: generate-api-types.ts REFERENCE_DIR GO_FACTS_JSON OUT_DIR");
}
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const types = readJson(join(referenceDir, "types.json")) as Record<string, TypeFacts>;
const goFacts = readJson(goFactsFile) as Record<string, Record<string, string>>;

const files = new Map<string, [string, TypeFacts][]>();
for (const [name, facts] of Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))) {
  const file = fileOf(name);
  const list = files.get(file) ?? [];
  list.push([name, withGoFacts(name, facts)]);
  files.set(file, list);
}

mkdirSync(outDir, { recursive: true });
for (const [file, text] of typescriptFiles(files)) writeFileSync(join(outDir, file), text);
for (const [file, list] of files) {
  const lines = list.map(([name, facts]) => `${JSON.stringify(name)}:${JSON.stringify(facts)}`);
  writeFileSync(join(outDir, `${file}.json`), `{\n${lines.join(",\n")}\n}\n`);
}
const resources = readJson(join(referenceDir, "resources.json")) as unknown[];
writeFileSync(join(outDir, "resources.json"), `[\n${resources.map((r) => JSON.stringify(r)).join(",\n")}\n]\n`);
const wire = readJson(join(referenceDir, "protobuf-wire-types.json")) as Record<string, unknown>;
writeFileSync(
  join(outDir, "wire.json"),
  `{\n${Object.entries(wire)
    .map(([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`)
    .join(",\n")}\n}\n`,
);

function withGoFacts(name: string, facts: TypeFacts): TypeFacts {
  const known = goFacts[name];
  if (facts.fields === undefined || known === undefined) return facts;
  const fields = Object.fromEntries(
    Object.entries(facts.fields).map(([field, f]): [string, FieldFacts] => {
      const go = known[field];
      return [field, go === "pointer" || go === "omit" ? { ...f, go } : f];
    }),
  );
  return { ...facts, fields };
}
