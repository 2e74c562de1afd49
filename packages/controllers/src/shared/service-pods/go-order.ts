/**
 * The order in which Kubernetes writes ports and subsets: by a hash of what Go prints of its structs. Nothing depends on
 * it but the eye: `kubectl get endpoints` shows them so.
 */

/** FNV-1a of 128 bits, as hexadecimal digits: they sort as the numbers do. */
export function fnv128a(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x1000000000000000000013bn);
  return hash.toString(16).padStart(32, "0");
}

/** Sorted by the hash of what `print` makes of each; one alone is not worth hashing. */
export function inGoOrder<T>(items: readonly T[], print: (item: T) => string): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => ({ item, hash: fnv128a(print(item)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ item }) => item);
}

/** A struct as Go prints it: name and value of each field, with its type. */
export const goStruct = (type: string, fields: Readonly<Record<string, string>>): string =>
  `(${type}){${Object.entries(fields)
    .map(([name, value]) => `${name}:${value}`)
    .join(" ")}}`;

export const goValue = (type: string, value: string | number | undefined): string => `(${type})${value ?? "<nil>"}`;

export const goSlice = (type: string, printed: readonly string[]): string =>
  `([]${type})${printed.length === 0 ? "<nil>" : `[${printed.join(" ")}]`}`;
