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

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

function sharedItems(value: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const items = value.map((item, at) => sharing(item, other[at]));
  return items.length === other.length && items.every((item, at) => Object.is(item, other[at])) ? other : items;
}

function sharedFields(value: Fields, other: Fields): Fields {
  const fields: Record<string, unknown> = {};
  let isSame = Object.keys(value).length === Object.keys(other).length;
  for (const [name, field] of Object.entries(value)) {
    const has = Object.hasOwn(other, name);
    fields[name] = has ? sharing(field, other[name]) : field;
    isSame &&= has && Object.is(fields[name], other[name]);
  }
  return isSame ? other : fields;
}
