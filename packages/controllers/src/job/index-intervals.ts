/** Completion indexes as `status.completedIndexes` writes them: `1,3-5,7`, in order and without overlap. */

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** In order, with a gap between one and the next. */
export type Intervals = readonly Interval[];

/** What cannot be read is passed over, and so is what is not below `completions`. */
export function parseIntervals(text: string | undefined, completions: number): Intervals {
  if (text === undefined || text === "") return [];
  const read = text.split(",").flatMap((part): Interval[] => {
    const [first = "", last = first] = part.split("-");
    if (!isIndex(first) || !isIndex(last) || Number(first) >= completions) return [];
    return [{ first: Number(first), last: Math.min(Number(last), completions - 1) }];
  });
  return merged(read);
}

const isIndex = (text: string): boolean => /^\d+$/.test(text);

/** Two that follow each other are written as two, three and more as a range. */
export const formatIntervals = (intervals: Intervals): string =>
  intervals
    .map(({ first, last }) => (last === first ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`))
    .join(",");

/** All that is in any of them. */
export function merged(intervals: Intervals): Intervals {
  const result: { first: number; last: number }[] = [];
  for (const { first, last } of [...intervals].sort((a, b) => a.first - b.first)) {
    const end = result.at(-1);
    if (end === undefined || first > end.last + 1) result.push({ first, last });
    else end.last = Math.max(end.last, last);
  }
  return result;
}

export const withIndexes = (intervals: Intervals, indexes: Iterable<number>): Intervals =>
  merged([...intervals, ...Array.from(indexes, (index) => ({ first: index, last: index }))]);

export const countIndexes = (intervals: Intervals): number => intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);

export function hasIndex(intervals: Intervals, index: number): boolean {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.last ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const found = intervals[low];
  return found !== undefined && found.first <= index;
}

/** How many indexes are in both. */
export function countCommon(a: Intervals, b: Intervals): number {
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const one = a[i];
    const other = b[j];
    if (one === undefined || other === undefined) break;
    common += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
    if (one.last <= other.last) i++;
    if (other.last <= one.last) j++;
  }
  return common;
}

/** The first `count` indexes below `completions` that are in none; never walks over what is. */
export function firstMissing(intervals: Intervals, count: number, completions: number): number[] {
  const result: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...intervals, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && result.length < count; candidate++) result.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return result;
}
