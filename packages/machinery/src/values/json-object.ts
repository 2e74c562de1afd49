/** Reading and writing objects whose keys clients choose: `__proto__` and `constructor` are keys like any other. */

export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** The object's own value; undefined also when only a prototype has that name. */
export const getOwn = (object: Readonly<JsonObject>, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** Sets a member as an own property, whatever its key is: `__proto__`, too. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
