/**
 * Writes packages/kubelet/src/cri/messages/ from cri.proto, the one place where the runtime's messages are described: the
 * methods, a type for what comes, complete as it is read, and one with `Input` behind its name for what is
 * sent, which may leave fields out.
 *
 * usage: node scripts/generate-cri-messages.ts [OUT_FOLDER]
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FieldType, type ProtoField, type ProtoMessage, type ProtoMethod, parseProto, type ScalarType } from "@coxswain/grpc";
import { root } from "./checks/tree.ts";

type Direction = "received" | "sent";

const committed = "packages/kubelet/src/cri/messages";
const proto = join(root, "packages/kubelet/src/cri/cri.proto");
const services = ["runtime.v1.RuntimeService", "runtime.v1.ImageService"];
const scalars: Readonly<Record<ScalarType, string>> = {
  string: "string",
  bool: "boolean",
  bytes: "Uint8Array",
  int32: "number",
  uint32: "number",
  int64: "number",
  "int64 as text": "string",
  uint64: "number",
};

const [outFolder = join(root, committed)] = process.argv.slice(2);
const definitions = parseProto(readFileSync(proto, "utf8"));
const written = "Written by scripts/generate-cri-messages.ts.";
for (const [name, text] of Object.entries(contents())) writeFileSync(join(outFolder, name), formatted(text));

function contents(): Readonly<Record<string, string>> {
  const methods = services.flatMap((service) => definitions.services.get(service) ?? []);
  const types: Types = { sent: new Map(), received: new Map(), enums: new Map() };
  for (const { request, response } of methods) {
    write(types, request, "sent");
    write(types, response, "received");
  }
  return {
    "methods.ts": methodsText(methods),
    "sent.ts": `/** What the kubelet sends: fields may be left out. ${written} */\n${importsOf("enums", types.sent, types.enums)}${texts(types.sent)}`,
    "received.ts": `/**\n * What runtimes answer: all fields are there. 64-bit numbers are JavaScript's: what is beyond 2^53 is rounded.\n * ${written}\n */\n${importsOf("enums", types.received, types.enums)}${texts(types.received)}`,
    "enums.ts": `/** The enumerations of cri.proto. ${written} */\n${texts(types.enums)}`,
  };
}

function methodsText(methods: readonly ProtoMethod[]): string {
  const method = ({ name, request, response }: ProtoMethod): string =>
    `  ${name}: Method<sent.${nameOf(request.name, "sent")}, received.${nameOf(response.name, "received")}>;\n`;
  return [
    `/** The methods of cri.proto. ${written} */\nimport type * as received from "./received.ts";\nimport type * as sent from "./sent.ts";\n\n`,
    `export interface CriMethods {\n${methods
      .filter(({ streams }) => !streams)
      .map(method)
      .join("")}}\n\n`,
    `export interface CriStreams {\n${methods
      .filter(({ streams }) => streams)
      .map(method)
      .join("")}}\n\n`,
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
function write(types: Types, message: ProtoMessage, direction: Direction): void {
  const name = nameOf(message.name, direction);
  if (types[direction].has(name)) return;
  types[direction].set(name, "");
  const fields = message.fields.map((field) => {
    const value = typeOf(types, field, direction);
    return `  readonly ${field.name}${direction === "sent" ? "?" : ""}: ${value};\n`;
  });
  types[direction].set(
    name,
    fields.length === 0 ? `export type ${name} = Record<never, never>;\n` : `export interface ${name} {\n${fields.join("")}}\n`,
  );
}

function typeOf(types: Types, { type, label }: ProtoField, direction: Direction): string {
  const single = singleType(types, type, direction);
  if (label === "map") return `Readonly<Record<string, ${single}>>`;
  if (label === "repeated") return `readonly ${single}[]`;
  return type.kind === "message" && direction === "received" ? `${single} | null` : single;
}

function singleType(types: Types, type: FieldType, direction: Direction): string {
  switch (type.kind) {
    case "scalar":
      return scalars[type.scalar];
    case "enum": {
      const values = [...type.type.numbers.keys()].map((one) => JSON.stringify(one)).join(" | ");
      types.enums.set(type.type.name, `export type ${type.type.name} = ${values};\n`);
      return type.type.name;
    }
    case "message":
      write(types, type.type, direction);
      return nameOf(type.type.name, direction);
  }
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
