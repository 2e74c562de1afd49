import { isObject, type JsonObject } from "@coxswain/machinery";

/** An object, a list or a Table in JSON without who manages which field. */
export function withoutManagedFields(json: string): string {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) return json;
  strip(value);
  if (Array.isArray(value.items)) for (const item of value.items) strip(item);
  if (Array.isArray(value.rows)) for (const row of value.rows) if (isObject(row)) strip(row.object);
  return JSON.stringify(value);
}

function strip(object: unknown): void {
  if (isObject(object) && isObject(object.metadata)) delete (object.metadata as JsonObject).managedFields;
}
