/** The TypeScript beside the facts of the built-in types: interfaces for each group and version, and the list of all. */

export interface FieldFacts {
  readonly type: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly go?: "pointer" | "omit";
}

export interface TypeFacts {
  readonly gvk?: readonly (readonly [string, string, string])[];
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  readonly type?: string;
}

/** By group and version, `core-v1`: the types in the order of the file. */
export type FactFiles = ReadonlyMap<string, readonly (readonly [name: string, facts: TypeFacts])[]>;

/** By name, with the text. */
export function interfaceFiles(files: FactFiles): Map<string, string> {
  const interfacesOf = [...files].map(([file, list]) => [`${file}.ts`, interfaces(file, list)] as const);
  return new Map([...interfacesOf, ["index.ts", namespaces([...files.keys()].sort())]]);
}

const constant = (file: string): string => file.replace(/-(.)/g, (_, c: string) => c.toUpperCase());

function namespaces(names: readonly string[]): string {
  const lines = names.map((f) => `export type * as ${constant(f)} from "./${f}.ts";\n`);
  return `// Written by scripts/generate-api-types.ts.\n/** The types of Kubernetes' API objects, a namespace for each group and version: \`coreV1.Pod\`. */\n${lines.join("")}`;
}

/** The module with the facts of all types. */
export function factsModule(names: readonly string[]): string {
  const imports = names.map((f) => `import ${constant(f)} from "./${f}.json" with { type: "json" };\n`);
  const entries = names.map((f) => `  "${f}": ${constant(f)},\n`);
  return `// Written by scripts/generate-api-types.ts.\n${imports.join("")}\n/** The facts of every built-in type, by group and version. */\nexport const typeFiles: Readonly<Record<string, unknown>> = {\n${entries.join("")}};\n`;
}

/** `io.k8s.api.core.v1.Pod` stands in `core-v1`; what has no group of its own stands in `meta-v1`. */
export function fileOf(name: string): string {
  const parts = name.split(".");
  const version = parts.at(-2) ?? "";
  return /^v\d/.test(version) ? `${parts.at(-3)}-${version}` : "meta-v1";
}

function interfaces(file: string, list: readonly (readonly [string, TypeFacts])[]): string {
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
