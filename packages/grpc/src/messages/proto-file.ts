/**
 * Reads the part of the protobuf language that definitions of ours are written in: proto3 with messages, enums in files and in
 * messages, maps by text, and services. What it does not know is an error.
 * @see https://protobuf.dev/reference/protobuf/proto3-spec/
 */
const scalars = ["string", "bytes", "bool", "int32", "uint32", "int64", "uint64"] as const;
/** An int64 with `[jstype = JS_STRING]`: its decimal text, exact where a number is not. */
const int64Text = "int64 as text";

/** The scalars that it knows. */
export type ScalarType = (typeof scalars)[number] | typeof int64Text;

/** What a field, an element of its list or a value of its map is. */
export type FieldType =
  | { readonly kind: "scalar"; readonly scalar: ScalarType }
  | { readonly kind: "enum"; readonly type: ProtoEnum }
  | { readonly kind: "message"; readonly type: ProtoMessage };

/** A field by the name that its JSON has: `pod_sandbox_id` is `podSandboxId`. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  readonly label: "single" | "repeated" | "map";
  readonly type: FieldType;
}

/** A message by its name without the package. */
export interface ProtoMessage {
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

/** An enumeration, in the order of its definition: the name of 0 stands first. */
export interface ProtoEnum {
  readonly name: string;
  readonly names: ReadonlyMap<number, string>;
  readonly numbers: ReadonlyMap<string, number>;
}

/** A method of a service; `streams`: it answers with any number of messages; `requestStreams`: it takes any number. */
export interface ProtoMethod {
  readonly name: string;
  readonly request: ProtoMessage;
  readonly response: ProtoMessage;
  readonly streams: boolean;
  readonly requestStreams: boolean;
}

/** What a file defines; services by their full names, `grpc.health.v1.Health`. */
export interface ProtoFile {
  readonly messages: ReadonlyMap<string, ProtoMessage>;
  readonly services: ReadonlyMap<string, readonly ProtoMethod[]>;
}

/** Reads the text of a file. @throws Error for what is not of this part of the language */
export function parseProto(text: string): ProtoFile {
  const tokens = new Tokens(text);
  const found = readDefinitions(tokens);
  const messages = new Map<string, ProtoMessage & { readonly fields: ProtoField[] }>();
  for (const { name } of found.messages) messages.set(name, { name, fields: [] });
  const messageOf = (name: string): ProtoMessage => messages.get(name) ?? fail(`no message ${name}`);
  const typeOf = (name: string, message: string): FieldType => {
    const scalar = name === int64Text ? int64Text : scalars.find((one) => one === name);
    if (scalar !== undefined) return { kind: "scalar", scalar };
    const type = found.enums.get(`${message}.${name}`) ?? found.enums.get(name);
    return type === undefined ? { kind: "message", type: messageOf(name) } : { kind: "enum", type };
  };
  for (const { name, fields } of found.messages)
    messages.get(name)?.fields.push(...fields.map((field) => ({ ...field, type: typeOf(field.type, name) })));
  const services = found.services.map(({ name, methods }): [string, ProtoMethod[]] => [
    `${found.package}.${name}`,
    methods.map(({ request, response, ...method }) => ({ ...method, request: messageOf(request), response: messageOf(response) })),
  ]);
  return { messages, services: new Map(services) };
}

interface Definitions {
  package: string;
  readonly enums: Map<string, ProtoEnum>;
  readonly messages: { readonly name: string; readonly fields: readonly NamedField[] }[];
  readonly services: { readonly name: string; readonly methods: readonly NamedMethod[] }[];
}

/** With the names of types as they are written. */
type NamedField = Omit<ProtoField, "type"> & { readonly type: string };
type NamedMethod = Omit<ProtoMethod, "request" | "response"> & { readonly request: string; readonly response: string };

function readDefinitions(tokens: Tokens): Definitions {
  const found: Definitions = { package: "", enums: new Map(), messages: [], services: [] };
  while (!tokens.done) {
    const word = tokens.next();
    if (word === "syntax") tokens.expect("=", '"proto3"', ";");
    else if (word === "package") {
      found.package = tokens.next();
      tokens.expect(";");
    } else if (word === "enum") readEnum(tokens, found, "");
    else if (word === "message") {
      const name = tokens.next();
      const fields = tokens.block((first) => readField(tokens, first, found, name));
      found.messages.push({ name, fields: fields.filter((field) => field !== undefined) });
    } else if (word === "service") {
      const name = tokens.next();
      found.services.push({ name, methods: tokens.block((first) => readMethod(tokens, first)) });
    } else fail(`unexpected ${word}`);
  }
  return found;
}

function readEnum(tokens: Tokens, { enums }: Definitions, prefix: string): void {
  const name = tokens.next();
  const values = tokens.block((value): [string, number] => {
    tokens.expect("=");
    const number = tokens.number();
    tokens.expect(";");
    return [value, number];
  });
  enums.set(prefix + name, { name, numbers: new Map(values), names: new Map(values.map(([value, number]) => [number, value])) });
}

/** Undefined for the definition of an enum, which stands among the fields. */
function readField(tokens: Tokens, first: string, found: Definitions, message: string): NamedField | undefined {
  if (first === "enum") {
    readEnum(tokens, found, `${message}.`);
    return undefined;
  }
  const label = first === "repeated" || first === "map" ? first : "single";
  if (label === "map") tokens.expect("<", "string", ",");
  const type = label === "single" ? first : tokens.next();
  if (label === "map") tokens.expect(">");
  const name = tokens.next().replaceAll(/_[a-z0-9]/g, (part) => part.slice(1).toUpperCase());
  tokens.expect("=");
  const number = tokens.number();
  return { name, number, label, type: readFieldOption(tokens, type) };
}

/** To the end of the field. */
function readFieldOption(tokens: Tokens, type: string): string {
  const token = tokens.next();
  if (token === ";") return type;
  if (token !== "[" || type !== "int64") fail(`unexpected ${token} for ;`);
  tokens.expect("jstype", "=", "JS_STRING", "]", ";");
  return int64Text;
}

function readMethod(tokens: Tokens, first: string): NamedMethod {
  if (first !== "rpc") fail(`unexpected ${first}`);
  const name = tokens.next();
  tokens.expect("(");
  const { type: request, streams: requestStreams } = readMethodType(tokens);
  tokens.expect(")", "returns", "(");
  const { type: response, streams } = readMethodType(tokens);
  tokens.expect(")", ";");
  return { name, request, response, streams, requestStreams };
}

function readMethodType(tokens: Tokens): { readonly type: string; readonly streams: boolean } {
  const type = tokens.next();
  return type === "stream" ? { type: tokens.next(), streams: true } : { type, streams: false };
}

class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    const lines = text.split("\n").map((line) => line.split("//", 1)[0] ?? "");
    this.#tokens = lines.flatMap((line) => line.match(/[\w."]+|[^\s\w."]/g) ?? []);
  }

  get done(): boolean {
    return this.#at === this.#tokens.length;
  }

  next(): string {
    return this.#tokens[this.#at++] ?? fail("unexpected end");
  }

  number(): number {
    const token = this.next();
    return /^\d+$/.test(token) ? Number(token) : fail(`unexpected ${token} for a number`);
  }

  expect(...wanted: readonly string[]): void {
    for (const one of wanted) {
      const token = this.next();
      if (token !== one) fail(`unexpected ${token} for ${one}`);
    }
  }

  /** What stands between braces, each begun with its first token. */
  block<T>(read: (first: string) => T): T[] {
    const all: T[] = [];
    this.expect("{");
    for (let token = this.next(); token !== "}"; token = this.next()) all.push(read(token));
    return all;
  }
}

function fail(what: string): never {
  throw new Error(`cannot read a protobuf definition: ${what}`);
}
