/**
 * Equality of JSON values. The order of keys does not matter, a property that is undefined counts as absent (it would
 * not be written), and an integer equals itself whether it is held as a number or as a bigint.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return sameScalar(a, b);
  const aIsArray = Array.isArray(a);
  if (aIsArray !== Array.isArray(b)) return false;
  return aIsArray
    ? equalArrays(a, b as unknown[])
    : equalObjects(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
}

function sameScalar(a: unknown, b: unknown): boolean {
  if (typeof a === "bigint" && typeof b === "number") return Number.isInteger(b) && BigInt(b) === a;
  if (typeof a === "number" && typeof b === "bigint") return Number.isInteger(a) && BigInt(a) === b;
  return false;
}

function equalArrays(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalObjects(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  // Reading a key `__proto__` that only the other side owns gives the prototype, which must not pass for `{}`.
  if (a === Object.prototype || b === Object.prototype) return false;
  let surplus = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!deepEqual(value, b[key])) return false;
    surplus++;
  }
  for (const key in b) if (b[key] !== undefined) surplus--;
  return surplus === 0;
}
