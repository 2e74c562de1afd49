/**
 * What differs between two texts, as Kubernetes' messages show it: a unified diff with three lines of context and no names
 * of files. Like Python's difflib it looks for the longest part that both have, and then on both sides of that.
 */

const context = 3;
const maxComparisons = 1_000_000;

interface Change {
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
}

/** Empty when they are the same; else each line ends in a newline. */
export function unifiedDiff(a: string, b: string): string {
  const [before, after] = [a.split("\n"), b.split("\n")];
  let text = "";
  for (const hunk of hunksOf(changesOf(before, after))) text += hunkText(hunk, before, after);
  return text;
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [fromA, fromB] = [0, 0];
  for (const match of [...allMatches(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (fromA < match.a || fromB < match.b) changes.push({ a: [fromA, match.a], b: [fromB, match.b] });
    [fromA, fromB] = [match.a + match.size, match.b + match.size];
  }
  return changes;
}

/** Both ends first, which is most of it; what is between them is looked at as a whole when that would take too long. */
function* allMatches(a: readonly string[], b: readonly string[]): Generator<Match> {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < shorter - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  yield { a: 0, b: 0, size: start };
  const [endA, endB] = [a.length - tail, b.length - tail];
  if ((endA - start) * (endB - start) <= maxComparisons) yield* matchesOf(a, [start, endA], b, [start, endB]);
  yield { a: endA, b: endB, size: tail };
}

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

type Range = readonly [from: number, to: number];

function* matchesOf(a: readonly string[], [fromA, toA]: Range, b: readonly string[], [fromB, toB]: Range): Generator<Match> {
  const match = findLongestMatch(a, [fromA, toA], b, [fromB, toB]);
  if (match.size === 0) return;
  yield* matchesOf(a, [fromA, match.a], b, [fromB, match.b]);
  yield match;
  yield* matchesOf(a, [match.a + match.size, toA], b, [match.b + match.size, toB]);
}

/** Of several the first in `a`, and of those the first in `b`. */
function findLongestMatch(a: readonly string[], [fromA, toA]: Range, b: readonly string[], [fromB, toB]: Range): Match {
  let best: Match = { a: fromA, b: fromB, size: 0 };
  let ending = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (let j = fromB; j < toB; j++) {
      if (a[i] !== b[j]) continue;
      const size = (ending.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    ending = next;
  }
  return best;
}

/** Changes whose context meets stand together. */
function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1);
    const end = last?.at(-1)?.a[1];
    if (last !== undefined && end !== undefined && change.a[0] - end <= 2 * context) last.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function hunkText(hunk: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return "";
  const start = Math.max(first.a[0] - context, 0);
  const end = Math.min(last.a[1] + context, a.length);
  const startB = first.b[0] - (first.a[0] - start);
  const endB = last.b[1] + (end - last.a[1]);
  const lines = [`@@ -${rangeText(start, end)} +${rangeText(startB, endB)} @@`];
  let at = start;
  for (const change of hunk) {
    for (const line of a.slice(at, change.a[0])) lines.push(` ${line}`);
    for (const line of a.slice(...change.a)) lines.push(`-${line}`);
    for (const line of b.slice(...change.b)) lines.push(`+${line}`);
    at = change.a[1];
  }
  for (const line of a.slice(at, end)) lines.push(` ${line}`);
  return lines.map((line) => `${line}\n`).join("");
}

/** An empty range is given by the line before it. */
function rangeText(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
