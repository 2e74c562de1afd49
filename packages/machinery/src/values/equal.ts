/**
 * Equality of JSON values. The order of keys does not matter, a property that is undefined counts as absent (it would
 * not be written), and an integer equals itself whether it is held as a number or as a bigint. Any depth will do.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return sameScalar(a, b);
  const pairs: Container[] = [a, b];
  while (pairs.length > 0) {
    const right = pairs.pop();
    const left = pairs.pop();
    if (left === undefined || right === undefined || !alike(left, right, pairs)) return false;
  }
  return true;
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[];

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const isList = (value: Container): value is readonly unknown[] => Array.isArray(value);

/** Whether two containers can still be equal; adds to `pairs` what must be compared for that. */
function alike(a: Container, b: Container, pairs: Container[]): boolean {
  if (isList(a)) return isList(b) && alikeLists(a, b, pairs);
  // Reading a key `__proto__` that only the other side owns gives the prototype, which must not pass for `{}`.
  if (isList(b) || a === Object.prototype || b === Object.prototype) return false;
  let surplus = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!alikeMembers(value, b[key], pairs)) return false;
    surplus++;
  }
  for (const key in b) if (b[key] !== undefined) surplus--;
  return surplus === 0;
}

function alikeLists(a: readonly unknown[], b: readonly unknown[], pairs: Container[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!alikeMembers(a[i], b[i], pairs)) return false;
  return true;
}

function alikeMembers(a: unknown, b: unknown, pairs: Container[]): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return sameScalar(a, b);
  pairs.push(a, b);
  return true;
}

function sameScalar(a: unknown, b: unknown): boolean {
  if (typeof a === "bigint" && typeof b === "number") return Number.isInteger(b) && BigInt(b) === a;
  if (typeof a === "number" && typeof b === "bigint") return Number.isInteger(a) && BigInt(a) === b;
  return false;
}
