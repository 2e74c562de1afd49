/** Strings as code points: what CEL counts, where JavaScript counts UTF-16 units. Most strings have no pairs of units, and are fast. */

const pairs = /[\ud800-\udbff][\udc00-\udfff]/;

export function runeCount(text: string): number {
  let count = text.length;
  for (let i = text.length - 2; i >= 0; i--) if (isPair(text, i)) count--;
  return count;
}

export const sliceRunes = (text: string, start: number, end?: number): string =>
  text.slice(unitOf(text, start), end === undefined ? undefined : unitOf(text, end));

/** From where `start` is; -1 when there is none. */
export function indexOfRunes(text: string, part: string, start: number): number {
  return runeOf(text, text.indexOf(part, unitOf(text, start)));
}

/** The last that starts at `start` or before. */
export function lastIndexOfRunes(text: string, part: string, start: number): number {
  return runeOf(text, text.lastIndexOf(part, unitOf(text, start)));
}

function unitOf(text: string, rune: number): number {
  if (!pairs.test(text)) return rune;
  let unit = 0;
  for (let i = 0; i < rune; i++) unit += isPair(text, unit) ? 2 : 1;
  return unit;
}

const runeOf = (text: string, unit: number): number => (unit <= 0 ? unit : runeCount(text.slice(0, unit)));

const isPair = (text: string, unit: number): boolean =>
  (text.charCodeAt(unit) & 0xfc00) === 0xd800 && (text.charCodeAt(unit + 1) & 0xfc00) === 0xdc00;
