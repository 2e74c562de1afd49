/** Findings that stood when a rule came: how many there are in each place may only fall. */

export interface KnownDifference {
  readonly place: string;
  readonly known: number;
  readonly found: number;
}

/** Where there are more findings than known, which fails, and where there are fewer, which asks for a lower number. */
export function compareKnown(
  known: Readonly<Record<string, number>>,
  found: ReadonlyMap<string, number>,
): { readonly more: readonly KnownDifference[]; readonly fewer: readonly KnownDifference[] } {
  const places = [...new Set([...Object.keys(known), ...found.keys()])].sort();
  const all = places.map((place) => ({ place, known: known[place] ?? 0, found: found.get(place) ?? 0 }));
  return { more: all.filter((one) => one.found > one.known), fewer: all.filter((one) => one.found < one.known) };
}

export const countBy = <T>(items: readonly T[], placeOf: (item: T) => string): Map<string, number> =>
  new Map([...Map.groupBy(items, placeOf)].map(([place, list]) => [place, list.length]));
