/** What a check found, and the counts of findings that stood when its rule came. */

export interface Finding {
  /** Among those of the check: "function". */
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** By "rule place", with the package or the folder at the top as the place: how many there are may only fall. */
export type KnownFindings = Readonly<Record<string, number>>;

/** `packages/store/src/store.ts` is in `store`, `tests/client/a.ts` in `tests`. */
export const placeOf = (file: string): string => /^packages\/([^/]+)\//.exec(file)?.[1] ?? file.split("/")[0] ?? file;

export interface KnownDifference {
  readonly place: string;
  readonly known: number;
  readonly found: number;
}

/** Where there are more findings than known, which fails, and where there are fewer, which asks for a lower number. */
export function compareKnown(
  known: KnownFindings,
  found: ReadonlyMap<string, number>,
): { readonly more: readonly KnownDifference[]; readonly fewer: readonly KnownDifference[] } {
  const places = [...new Set([...Object.keys(known), ...found.keys()])].sort();
  const all = places.map((place) => ({ place, known: known[place] ?? 0, found: found.get(place) ?? 0 }));
  return { more: all.filter((one) => one.found > one.known), fewer: all.filter((one) => one.found < one.known) };
}

export const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> =>
  new Map([...Map.groupBy(items, keyOf)].map(([key, list]) => [key, list.length]));
