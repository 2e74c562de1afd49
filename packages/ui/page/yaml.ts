/** An object as YAML, as `kubectl get -o yaml` prints it. */

const plain = /^[A-Za-z_/][\w./-]*(?: [\w./()-]+)*$/;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

export function yamlOf(value: unknown, indent = ""): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : value.map((item) => `${indent}- ${itemText(item, indent)}`).join("\n");
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    return entries.length === 0 ? "{}" : entries.map(([key, of]) => `${indent}${scalar(key)}:${memberText(of, indent)}`).join("\n");
  }
  return scalar(value);
}

function memberText(value: unknown, indent: string): string {
  if (isBlock(value)) {
    const lines = value.replace(/\n$/, "").split("\n");
    return ` ${value.endsWith("\n") ? "|" : "|-"}\n${lines.map((line) => (line === "" ? "" : `${indent}  ${line}`)).join("\n")}`;
  }
  if (isEmpty(value) || typeof value !== "object" || value === null) return ` ${yamlOf(value)}`;
  return `\n${yamlOf(value, Array.isArray(value) ? indent : `${indent}  `)}`;
}

function itemText(item: unknown, indent: string): string {
  if (isEmpty(item) || typeof item !== "object" || item === null) return yamlOf(item);
  return yamlOf(item, `${indent}  `).trimStart();
}

const isEmpty = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0;

const isBlock = (value: unknown): value is string => typeof value === "string" && value.includes("\n") && !/[^\S\n]\n|^\s/.test(value);

function scalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return plain.test(value) && !reserved.test(value) ? value : JSON.stringify(value);
}

/** The same without who manages which fields: few look for that. */
export function withoutManagedFields<T extends { readonly metadata?: object | undefined }>(object: T): T {
  const { managedFields: _, ...metadata } = (object.metadata ?? {}) as Record<string, unknown>;
  return { ...object, metadata };
}
