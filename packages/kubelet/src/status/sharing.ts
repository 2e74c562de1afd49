import { isObject } from "@coxswain/machinery";

/**
 * The value, with whatever it has in common with another one taken from there, so that memory holds it once. Neither is
 * changed; what is given says the same as the value.
 */
export function sharing<T>(value: T, other: unknown): T {
  if (Object.is(value, other)) return other as T;
  if (Array.isArray(value)) return (Array.isArray(other) ? sharedItems(value, other) : value) as T;
  return isObject(value) && isObject(other) ? (sharedFields(value, other) as T) : value;
}

type Fields = Readonly<Record<string, unknown>>;

function sharedItems(value: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const items = value.map((item, at) => sharing(item, other[at]));
  return items.length === other.length && items.every((item, at) => Object.is(item, other[at])) ? other : items;
}

function sharedFields(value: Fields, other: Fields): Fields {
  const entries = Object.entries(value).map(([name, field]): [string, unknown] => [
    name,
    Object.hasOwn(other, name) ? sharing(field, other[name]) : field,
  ]);
  const isSame =
    entries.length === Object.keys(other).length &&
    entries.every(([name, field]) => Object.hasOwn(other, name) && Object.is(field, other[name]));
  // Made of entries, since a field may be called `__proto__`.
  return isSame ? other : Object.fromEntries(entries);
}
