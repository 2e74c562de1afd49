/**
 * Parses the JSONPath of kubectl and of CustomResourceDefinitions, with the errors of client-go's parser.
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
import { trimLeft, trimRight } from "@coxswain/machinery";
import { Cursor } from "./cursor.ts";
import { goInt, unquote } from "./literals.ts";
import { JsonPathError, type Node } from "./node.ts";
import { parseSlice } from "./parse-slice.ts";

/** Text with paths in braces: `{.metadata.name}`. @throws JsonPathError */
export function parseTemplate(text: string): readonly Node[] {
  const cursor = new Cursor(text);
  const nodes: Node[] = [];
  while (!cursor.done) {
    const plain = cursor.until("{");
    if (plain !== "") nodes.push({ type: "text", text: plain });
    if (cursor.take("{")) nodes.push({ type: "list", nodes: parseBraces(cursor) });
  }
  return nodes;
}

/** A path that stands within another one. */
function parsePath(text: string): readonly Node[] {
  const [first] = parseTemplate(`{${text}}`);
  return first?.type === "list" ? first.nodes : [];
}

/** To the closing brace. */
function parseBraces(cursor: Cursor): readonly Node[] {
  const nodes: Node[] = [];
  for (;;) {
    if (cursor.take("}")) return nodes;
    if (cursor.take("[?(")) nodes.push(parseFilter(cursor));
    else if (cursor.take("..")) parseDescent(cursor, nodes);
    else for (const node of parsePart(cursor)) nodes.push(node);
  }
}

function parsePart(cursor: Cursor): readonly Node[] {
  const char = cursor.peek();
  if (char === "" || isEndOfLine(char)) throw new JsonPathError("unclosed action");
  if (char === "+" || char === "-" || isDigit(char)) return [parseNumber(cursor)];
  if (isAlphaNumeric(char)) return [parseIdentifier(cursor)];
  if (char === '"' || char === "'") return [parseQuoted(cursor)];
  cursor.next();
  switch (char) {
    case " ":
    // The object itself: what follows applies to it anyway.
    case "@":
    case "$":
      return [];
    case "[":
      return parseBrackets(cursor);
    case ".":
      return [parseField(cursor)];
    default:
      throw new JsonPathError(`unrecognized character in action: ${goUnicode(char)}`);
  }
}

function parseDescent(cursor: Cursor, nodes: Node[]): void {
  if (nodes.at(-1)?.type === "descent") throw new JsonPathError("invalid multiple recursive descent");
  nodes.push({ type: "descent" });
  if (isAlphaNumeric(cursor.peek())) nodes.push(parseField(cursor));
}

/** A backslash takes away what the next character means. */
function parseField(cursor: Cursor): Node {
  let escaped = false;
  const name = cursor.while((char) => {
    const within = escaped || !isTerminator(char);
    escaped = char === "\\" && !escaped;
    return within;
  });
  return name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") };
}

function parseIdentifier(cursor: Cursor): Node {
  const name = cursor.while((char) => !isTerminator(char));
  return name === "true" || name === "false" ? { type: "constant", value: name === "true", kind: "bool" } : { type: "identifier", name };
}

function parseNumber(cursor: Cursor): Node {
  const sign = /[+-]/.test(cursor.peek()) ? cursor.next() : "";
  const text = sign + cursor.while((char) => char === "." || isDigit(char));
  const whole = goInt(text);
  if (whole !== undefined) return { type: "constant", value: whole, kind: "int" };
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`);
  return { type: "constant", value: Number(text), kind: "float" };
}

function parseQuoted(cursor: Cursor): Node {
  const start = cursor.at;
  const quote = cursor.next();
  for (;;) {
    const char = cursor.next();
    if (char === "" || char === "\n") throw new JsonPathError("unterminated quoted string");
    if (char === quote && cursor.text.charAt(cursor.at - 2) !== "\\") break;
  }
  return { type: "text", text: unquote(cursor.text.slice(start, cursor.at)) };
}

/** An index, a slice, a key in quotes, or several of them. */
function parseBrackets(cursor: Cursor): readonly Node[] {
  const text = cursor.while((char) => char !== "]" && char !== "\n");
  if (!cursor.take("]")) throw new JsonPathError("unterminated array");
  const parts = text.split(",");
  if (parts.length > 1) return [{ type: "union", lists: parts.map((part) => parsePath(`[${trimLeft(trimRight(part, " "), " ")}]`)) }];
  const key = /^'([^']*)'$/.exec(text)?.[1];
  return key === undefined ? [parseSlice(text === "*" ? ":" : text)] : parsePath(`.${key}`);
}

/** To the closing `)]`. */
function parseFilter(cursor: Cursor): Node {
  const text = readCondition(cursor);
  const [whole = "", left = "", found = ""] = /^([^!<>=]+)([!<>=]+)/.exec(text) ?? [];
  // There is something on the right, were it the operator's last character.
  const operator = whole.length === text.length ? found.slice(0, -1) : found;
  if (operator === "") return { type: "filter", left: parsePath(text), operator: "exists", right: [] };
  return { type: "filter", left: parsePath(left), operator, right: parsePath(text.slice(left.length + operator.length)) };
}

/** A parenthesis in quotes does not close it; there are quotes around one value at most. */
function readCondition(cursor: Cursor): string {
  const start = cursor.at;
  let quote = "";
  let closed = false;
  for (;;) {
    const char = cursor.next();
    if (char === "" || char === "\n") throw new JsonPathError("unterminated filter");
    if (char === ")" && (quote === "" || closed)) break;
    if (char !== '"' && char !== "'") continue;
    if (quote === "") quote = char;
    else if (char === quote && cursor.text.charAt(cursor.at - 2) !== "\\") closed = true;
  }
  if (!cursor.take("]")) throw new JsonPathError("unclosed array expect ]");
  return cursor.text.slice(start, cursor.at - 2);
}

const isTerminator = (char: string): boolean => /^[ \t\r\n.,[\]$@{}]$/.test(char);
const isEndOfLine = (char: string): boolean => char === "\r" || char === "\n";
const isDigit = (char: string): boolean => /^\p{Nd}$/u.test(char);
const isAlphaNumeric = (char: string): boolean => /^[_\p{L}\p{Nd}]$/u.test(char);

/** As `%#U` prints a character. */
function goUnicode(char: string): string {
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return /^[\p{C}\p{Z}]$/u.test(char) && char !== " " ? code : `${code} '${char}'`;
}
