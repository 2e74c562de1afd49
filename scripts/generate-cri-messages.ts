/**
 * Writes packages/kubelet/src/cri/messages/ from cri.proto, the one place where the runtime's messages are described: the
 * methods, a type for what comes, complete as @grpc/proto-loader makes it, and one with `Input` behind its name for what is
 * sent, which may leave fields out.
 *
 * usage: node scripts/generate-cri-messages.ts [OUT_FOLDER]
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}

interface Message {
  readonly name: string;
  readonly field: readonly Field[];
  readonly nestedType: readonly (Message & { readonly options: { readonly mapEntry: boolean } | null })[];
  readonly enumType: readonly Enum[];
}

interface Enum {
  readonly name: string;
  readonly value: readonly { readonly name: string }[];
}

interface Method {
  readonly requestType: { readonly type: Message };
  readonly responseType: { readonly type: Message };
  readonly responseStream: boolean;
}

type Definition = { readonly format: string; readonly type: Message | Enum } | Readonly<Record<string, Method>>;
type Direction = "received" | "sent";

const committed = "packages/kubelet/src/cri/messages";
const proto = join(root, "packages/kubelet/src/cri/cri.proto");
const services = ["runtime.v1.RuntimeService", "runtime.v1.ImageService"];
const scalars: Readonly<Record<string, string>> = {
  TYPE_STRING: "string",
  TYPE_BOOL: "boolean",
  TYPE_BYTES: "Uint8Array",
  TYPE_INT32: "number",
  TYPE_UINT32: "number",
  TYPE_INT64: "number",
  TYPE_UINT64: "number",
};

const [outFolder = join(root, committed)] = process.argv.slice(2);
// The kubelet's dependency, not the repository's.
const { loadSync } = createRequire(join(root, "packages/kubelet/package.json"))("@grpc/proto-loader") as {
  loadSync(path: string, options: object): Readonly<Record<string, Definition>>;
};
const definitions = loadSync(proto, { keepCase: false });
const written = "Written by scripts/generate-cri-messages.ts.";
for (const [name, text] of Object.entries(contents())) writeFileSync(join(outFolder, name), formatted(text));

function contents(): Readonly<Record<string, string>> {
  const methods = services.flatMap((service) => Object.entries(definitions[service] as Readonly<Record<string, Method>>));
  const types: Types = { sent: new Map(), received: new Map(), enums: new Map() };
  for (const [, { requestType, responseType }] of methods) {
    write(types, requestType.type, "sent");
    write(types, responseType.type, "received");
  }
  return {
    "methods.ts": methodsText(methods),
    "sent.ts": `/** What the kubelet sends: fields may be left out. ${written} */\n${importsOf("enums", types.sent, types.enums)}${texts(types.sent)}`,
    "received.ts": `/**\n * What runtimes answer: all fields are there. 64-bit numbers are JavaScript's: what is beyond 2^53 is rounded.\n * ${written}\n */\n${importsOf("enums", types.received, types.enums)}${texts(types.received)}`,
    "enums.ts": `/** The enumerations of cri.proto. ${written} */\n${texts(types.enums)}`,
  };
}

function methodsText(methods: readonly [string, Method][]): string {
  const method = ([name, { requestType, responseType }]: [string, Method]): string =>
    `  ${name}: Method<sent.${nameOf(requestType.type.name, "sent")}, received.${nameOf(responseType.type.name, "received")}>;\n`;
  const isStream = ([, { responseStream }]: [string, Method]): boolean => responseStream;
  return [
    `/** The methods of cri.proto. ${written} */\nimport type * as received from "./received.ts";\nimport type * as sent from "./sent.ts";\n\n`,
    `export interface CriMethods {\n${methods
      .filter((one) => !isStream(one))
      .map(method)
      .join("")}}\n\n`,
    `export interface CriStreams {\n${methods.filter(isStream).map(method).join("")}}\n\n`,
    "interface Method<Request, Response> {\n  readonly request: Request;\n  readonly response: Response;\n}\n",
  ].join("");
}

/** By name. */
type Texts = Map<string, string>;
type Types = Readonly<Record<Direction | "enums", Texts>>;

function texts(all: Texts): string {
  return [...all.keys()]
    .toSorted()
    .map((name) => all.get(name))
    .join("");
}

function importsOf(module: string, users: Texts, all: Texts): string {
  const text = [...users.values()].join("");
  const used = [...all.keys()].toSorted().filter((name) => new RegExp(`: (readonly )?${name}\\b`).test(text));
  return used.length === 0 ? "" : `import type { ${used.join(", ")} } from "./${module}.ts";\n\n`;
}

function nameOf(name: string, direction: Direction): string {
  return direction === "sent" ? `${name}Input` : `${name}Message`;
}

/** The message, and all that it holds. */
function write(types: Types, message: Message, direction: Direction): void {
  const name = nameOf(message.name, direction);
  if (types[direction].has(name)) return;
  types[direction].set(name, "");
  const fields = message.field.map((field) => {
    const value = typeOf(types, message, field, direction);
    return `  readonly ${field.name}${direction === "sent" ? "?" : ""}: ${value};\n`;
  });
  types[direction].set(
    name,
    fields.length === 0 ? `export type ${name} = Record<never, never>;\n` : `export interface ${name} {\n${fields.join("")}}\n`,
  );
}

function typeOf(types: Types, message: Message, field: Field, direction: Direction): string {
  const { type, typeName, label } = field;
  const entry = message.nestedType.find(({ name, options }) => name === typeName && options?.mapEntry === true);
  const [key, value] = entry?.field ?? [];
  if (entry !== undefined && key !== undefined && value !== undefined)
    return `Readonly<Record<${typeOf(types, entry, key, direction)}, ${typeOf(types, entry, value, direction)}>>`;
  const isRepeated = label === "LABEL_REPEATED";
  const single = singleType(types, message, field, direction);
  if (isRepeated) return `readonly ${single}[]`;
  return type === "TYPE_MESSAGE" && direction === "received" ? `${single} | null` : single;
}

function singleType(types: Types, message: Message, { name, type, typeName }: Field, direction: Direction): string {
  const scalar = scalars[type];
  if (scalar !== undefined) return scalar;
  const nested = message.enumType.find((one) => one.name === typeName);
  const found = nested ?? (definitions[`runtime.v1.${typeName}`] as { readonly type: Message | Enum } | undefined)?.type;
  if (found === undefined) throw new Error(`${message.name}.${name}: no type ${typeName} for ${type}`);
  if ("value" in found) {
    const values = found.value.map((one) => JSON.stringify(one.name)).join(" | ");
    types.enums.set(found.name, `export type ${found.name} = ${values};\n`);
    return found.name;
  }
  write(types, found, direction);
  return nameOf(found.name, direction);
}

function formatted(source: string): string {
  const biome = spawnSync(join(root, "node_modules/.bin/biome"), ["format", `--stdin-file-path=${committed}/sent.ts`], {
    cwd: root,
    input: source,
    encoding: "utf8",
  });
  if (biome.status !== 0) throw new Error(`biome failed:\n${biome.stderr}`);
  return biome.stdout;
}
