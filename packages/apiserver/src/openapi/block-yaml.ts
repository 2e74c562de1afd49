/** Values as YAML in the layout of Go's writer, which the protobuf form of OpenAPI holds. */
import { stringifyJson } from "@coxswain/machinery";

/** A value with the line break that ends it. What might be taken for something else than text is quoted as in JSON. */
export const blockYaml = (value: unknown): string => `${linesOf(value, 0).join("\n")}\n`;

/** The lines of a value that begins at the column; the first has no space before it. */
function linesOf(value: unknown, column: number): string[] {
  if (typeof value === "string") return [isPlain(value) ? value : stringifyJson(value)];
  if (typeof value !== "object" || value === null) return [stringifyJson(value ?? null)];
  if (Array.isArray(value))
    return value.length === 0
      ? ["[]"]
      : indented(
          value.flatMap((item) => itemLines(item, column)),
          column,
        );
  const members = Object.entries(value);
  return members.length === 0
    ? ["{}"]
    : indented(
        members.flatMap(([key, member]) => memberLines(key, member, column)),
        column,
      );
}

function itemLines(item: unknown, column: number): string[] {
  const [first = "", ...rest] = linesOf(item, column + 2);
  return [`- ${first}`, ...rest.map((line) => line.slice(column))];
}

function memberLines(key: string, value: unknown, column: number): string[] {
  const name = isPlain(key) ? key : stringifyJson(key);
  const next = (Math.floor(column / indent) + 1) * indent;
  const [first = "", ...rest] = linesOf(value, next);
  if (!hasBlock(value)) return [`${name}: ${first}`];
  return [`${name}:`, `${" ".repeat(next - column)}${first}`, ...rest.map((line) => line.slice(column))];
}

/** All lines but the first get the column's space. */
const indented = (lines: readonly string[], column: number): string[] =>
  lines.map((line, i) => (i === 0 ? line : `${" ".repeat(column)}${line}`));

const indent = 4;

const hasBlock = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length > 0;

const words = new Set(["true", "false", "yes", "no", "on", "off", "y", "n", "null"]);

const isPlain = (text: string): boolean =>
  /^[A-Za-z][-A-Za-z0-9 ,._/]*$/.test(text) && !text.endsWith(" ") && !words.has(text.toLowerCase());
