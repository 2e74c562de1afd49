/** JSON values: what they may be, the value at a path, and how the data files are laid out. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** `undefined` for a text that is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The value at `metadata.ownerReferences.0.uid`, or undefined where the path leads nowhere; null where it leads through null.
 * Lists and texts have a `length`.
 */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let at = value;
  for (const key of path.split(".")) {
    if (at === null) return null;
    if (key === "length" && (isArray(at) || typeof at === "string")) at = at.length;
    else if (isArray(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

const lineWidth = 140;

/** As many values on a line as fit; what is larger than a line stands on lines of its own. */
export function formatJson(value: Json, indent = ""): string {
  const line = oneLine(value);
  if (indent.length + line.length <= lineWidth || typeof value !== "object" || value === null) return line;
  const inner = `${indent} `;
  const members = isArray(value)
    ? value.map((item) => formatJson(item, inner))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${formatJson(member, inner)}`);
  const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"];
  return [open, ...fillLines(members, inner), indent + close].join("\n");
}

function fillLines(members: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  let current = "";
  for (const [i, member] of members.entries()) {
    const text = i === members.length - 1 ? member : `${member},`;
    const fits = current !== "" && !text.includes("\n") && indent.length + current.length + 1 + text.length <= lineWidth;
    if (current !== "" && !fits) lines.push(indent + current);
    current = fits ? `${current} ${text}` : text;
    if (text.includes("\n")) {
      lines.push(indent + current);
      current = "";
    }
  }
  return current === "" ? lines : [...lines, indent + current];
}

function oneLine(value: Json): string {
  if (isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${oneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
