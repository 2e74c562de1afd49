/** Paths of plain field accesses, `.spec.row` or `.spec['row']`, as rules and selectable fields name fields. */
import type { JsonSchema } from "../structural/schema.ts";
import { additionalOf, hasProperties, propertyOf } from "./parts.ts";

export interface FieldPath {
  /** As error messages show it: `spec.labels[app]`. */
  readonly path: string;
  /** The first name in it. */
  readonly root: string;
  /** What the schema says about the field; undefined where a map allows any value. */
  readonly schema: JsonSchema | undefined;
}

/** The field that `text` names in objects of the schema, or why there is none, in Kubernetes' words. */
export function findField(text: string, schema: JsonSchema, options: { readonly brackets: boolean }): FieldPath | string {
  let found: FieldPath = { path: "", root: "", schema };
  const tokens = tokensOf(text)[Symbol.iterator]();
  for (let token = tokens.next(); !token.done; token = tokens.next()) {
    if (token.value !== "[" && token.value !== ".") return `expected [ or . but got: ${token.value}`;
    if (token.value === "[" && !options.brackets) return "array notation is not allowed";
    const name = tokens.next();
    if (name.done) return "unexpected end of JSON path";
    const step = token.value === "." ? name.value : unquote(name.value);
    if (typeof step !== "string") return step.problem;
    const next = stepInto(found, step);
    if (next === undefined) return "does not refer to a valid field";
    found = next;
    if (token.value === ".") continue;
    const end = tokens.next();
    if (end.done) return "unexpected end of JSON path";
    if (end.value !== "]") return `expected ] but got ${end.value}`;
  }
  return found;
}

function stepInto({ path, root, schema }: FieldPath, name: string): FieldPath | undefined {
  if (schema === undefined) return undefined;
  const field = propertyOf(schema, name);
  if (field !== undefined) return { path: path === "" ? name : `${path}.${name}`, root: root || name, schema: field };
  if (schema.additionalProperties === undefined || hasProperties(schema)) return undefined;
  return { path: `${path}[${name}]`, root: root || `[${name}]`, schema: additionalOf(schema) };
}

/** `.`, `[`, `]`, texts in single quotes, and what is between those. */
function* tokensOf(text: string): Generator<string, undefined> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfToken(text, at);
    yield text.slice(at, end);
  }
}

const between = /[^.[\]]+/y;

function endOfToken(text: string, at: number): number {
  if (text.charAt(at) === "'") {
    let quote = text.indexOf("'", at + 1);
    while (quote > 0 && text.charAt(quote - 1) === "\\") quote = text.indexOf("'", quote + 1);
    return quote < 0 ? text.length : quote + 1;
  }
  between.lastIndex = at;
  return between.test(text) ? between.lastIndex : at + 1;
}

const escapes: Readonly<Record<string, string>> = {
  __proto__: null as never,
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unquote(token: string): string | { readonly problem: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { problem: `expected single quoted string but got ${token}` };
  }
  const text = token.slice(1, -1);
  const bad = text.match(/\\./gs)?.find((found) => escapes[found.charAt(1)] === undefined);
  if (bad !== undefined) return { problem: `invalid string literal: invalid escape char ${bad}` };
  return text.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? "");
}
