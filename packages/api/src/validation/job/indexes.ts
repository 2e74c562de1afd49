/** Indexes of an Indexed job in their short form: `0,2-4,9`. */
import { goQuote } from "@coxswain/machinery";

type Interval = readonly [first: number, last: number];

/** How many indexes the text names, or what is wrong with it. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let previous = -1;
  for (const part of text.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return interval;
    const [first, last] = interval;
    if (previous >= first) return `non-increasing order, previous: ${previous}, current: ${first}`;
    total += last - first + 1;
    previous = last;
  }
  return total;
}

/** The first index in both lists; undefined when there is none. What cannot be read is skipped: it is reported elsewhere. */
export function firstOverlap(a: string, b: string, completions: number): number | undefined {
  const [left, right] = [intervals(a, completions), intervals(b, completions)];
  let [i, j] = [0, 0];
  for (;;) {
    const [x, y] = [left[i], right[j]];
    if (x === undefined || y === undefined) return undefined;
    if (x[0] <= y[1] && y[0] <= x[1]) return Math.max(x[0], y[0]);
    if (x[0] <= y[0]) i += 1;
    else j += 1;
  }
}

const intervals = (text: string, completions: number): Interval[] =>
  text === ""
    ? []
    : text
        .split(",")
        .map((part) => parseInterval(part, completions))
        .filter((interval) => typeof interval !== "string");

function parseInterval(part: string, completions: number): Interval | string {
  const [first = "", last, ...rest] = part.split("-");
  if (rest.length > 0) {
    return `the fragment ${goQuote(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const x = parseIndex(first, completions);
  if (typeof x === "string" || last === undefined) return typeof x === "string" ? x : [x, x];
  const y = parseIndex(last, completions);
  if (typeof y === "string") return y;
  return x >= y ? `non-increasing order, previous: ${x}, current: ${y}` : [x, y];
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^\+?\d+$/.test(text)) return `cannot convert string to integer for index: ${goQuote(text)}`;
  return Number(text) >= completions ? `too large index: ${goQuote(text)}` : Number(text);
}
