/**
 * Writes packages/api/src/types from the reference data and from what go-facts knows of the Go clients:
 * one JSON file of facts and one TypeScript file of interfaces for each group and version.
 *
 * usage: node scripts/generate-api-types.ts REFERENCE_DIR GO_FACTS_JSON OUT_DIR
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface FieldFacts {
  readonly type: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly go?: "pointer" | "omit";
}
interface TypeFacts {
  readonly gvk?: readonly (readonly [string, string, string])[];
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  readonly type?: string;
}

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
for (const [file, list] of files) {
  const lines = list.map(([name, facts]) => `${JSON.stringify(name)}:${JSON.stringify(facts)}`);
  writeFileSync(join(outDir, `${file}.json`), `{\n${lines.join(",\n")}\n}\n`);
  writeFileSync(join(outDir, `${file}.ts`), interfaces(file, list));
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
const names = [...files.keys()].sort();
const constant = (file: string): string => file.replace(/-(.)/g, (_, c: string) => c.toUpperCase());
writeFileSync(
  join(outDir, "all.ts"),
  `// Written by scripts/generate-api-types.ts.\n${names
    .map((f) => `import ${constant(f)} from "./${f}.json" with { type: "json" };\n`)
    .join(
      "",
    )}\n/** The facts of every built-in type, by group and version. */\nexport const typeFiles: Readonly<Record<string, unknown>> = {\n${names
    .map((f) => `  "${f}": ${constant(f)},\n`)
    .join("")}};\n`,
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

/** `io.k8s.api.core.v1.Pod` stands in `core-v1`; what has no group of its own stands in `meta-v1`. */
function fileOf(name: string): string {
  const parts = name.split(".");
  const version = parts.at(-2) ?? "";
  return /^v\d/.test(version) ? `${parts.at(-3)}-${version}` : "meta-v1";
}

function interfaces(file: string, list: readonly [string, TypeFacts][]): string {
  const imports = new Map<string, Set<string>>();
  const scalar: Record<string, string> = {
    "integer:int32": "number",
    "integer:int64": "number",
    "number:double": "number",
    "string:byte": "string",
    "string:date-time": "string",
    "string-or-number": "string",
    "int-or-string": "number | string",
    object: "Record<string, unknown>",
    any: "unknown",
  };
  const show = (type: string): string => {
    if (type.startsWith("[")) return `${wrapped(show(type.slice(1, -1)))}[]`;
    if (type.startsWith("{")) return `Record<string, ${show(type.slice(1, -1))}>`;
    if (!type.startsWith("io.")) return scalar[type] ?? type;
    const from = fileOf(type);
    const short = type.split(".").at(-1) ?? type;
    if (from !== file) imports.set(from, (imports.get(from) ?? new Set()).add(short));
    return short;
  };
  const wrapped = (text: string): string => (text.includes("|") ? `(${text})` : text);
  const body = list.map(([name, facts]) => {
    const short = name.split(".").at(-1) ?? name;
    if (facts.fields === undefined) return `export type ${short} = ${scalar[facts.type ?? "any"] ?? "unknown"};\n`;
    const kind = facts.gvk === undefined ? "" : " extends KubeObject";
    const fields = Object.entries(facts.fields).map(([field, f]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field);
      return `  ${key}${f.required === true ? "" : "?"}: ${field === "metadata" && kind !== "" && !short.endsWith("List") ? "Meta" : show(f.type)};\n`;
    });
    return `export interface ${short}${short.endsWith("List") || short === "Status" ? "" : kind} {\n${fields.join("")}}\n`;
  });
  const text = body.join("\n");
  const head = [...imports].sort().map(([from, set]) => `import type { ${[...set].sort().join(", ")} } from "./${from}.ts";\n`);
  const machinery = `import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";\n`;
  return `// Written by scripts/generate-api-types.ts from the facts beside it.\n${text.includes("KubeObject") || text.includes(": Meta;") ? machinery : ""}${head.join("")}\n${text}`;
}
