import { isObject, type JsonObject, setOwn } from "./json-object.ts";

/** A deep copy of a JSON value no deeper than a body may be. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key in value) setOwn(copy, key, cloneJson(value[key]));
  return copy;
}
