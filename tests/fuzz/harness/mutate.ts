/** Changes of a text that keep some of its structure: brackets stay in pairs, parts come from other texts of the same language. */
import type { Random } from "./random.ts";

export interface Mutating {
  readonly random: Random;
  /** Words of the language. */
  readonly dictionary: readonly string[];
  /** Texts of which parts may be taken. */
  readonly corpus: readonly string[];
  /** Characters are bytes: none beyond 255 comes in. */
  readonly bytes: boolean;
}

/** Longer inputs cost time and find nothing that shorter ones do not. */
export const maxInputLength = 16 * 1024;

type Mutator = (text: string, mutating: Mutating) => string;

/** The text after one to four changes. */
export function mutate(text: string, mutating: Mutating): string {
  let mutated = text;
  for (let left = 1 + mutating.random.below(4); left > 0; left--) mutated = mutating.random.pick(mutators)(mutated, mutating);
  return mutated.length > maxInputLength ? mutated.slice(0, maxInputLength) : mutated;
}

const replaced = (text: string, start: number, end: number, by: string): string => text.slice(0, start) + by + text.slice(end);

/** Two places of a text, mostly near each other. */
function range(text: string, random: Random): readonly [start: number, end: number] {
  const start = random.below(text.length + 1);
  const length = random.oneIn(4) ? random.below(text.length - start + 1) : random.below(Math.min(8, text.length - start) + 1);
  return [start, start + length];
}

const insertWord: Mutator = (text, { random, dictionary }) => {
  const at = random.below(text.length + 1);
  return dictionary.length === 0 ? text : replaced(text, at, at, random.pick(dictionary));
};

const replaceByWord: Mutator = (text, { random, dictionary }) => {
  const [start, end] = range(text, random);
  return dictionary.length === 0 ? text : replaced(text, start, end, random.pick(dictionary));
};

const remove: Mutator = (text, { random }) => {
  const [start, end] = range(text, random);
  return replaced(text, start, end, "");
};

const repeat: Mutator = (text, { random }) => {
  const [start, end] = range(text, random);
  return replaced(text, start, end, text.slice(start, end).repeat(random.oneIn(10) ? 2 + random.below(200) : 2));
};

/** Bytes get any byte; texts mostly ASCII, and now and then what is longer in UTF-8, or half a character. */
const insertCharacter: Mutator = (text, { random, bytes }) => {
  const [start, end] = range(text, random);
  const code = bytes ? random.below(256) : random.oneIn(8) ? random.pick(oddCodes) : random.below(128);
  return replaced(text, start, random.oneIn(2) ? start : Math.min(end, start + 1), String.fromCharCode(code));
};
const oddCodes = [0, 0x7f, 0x85, 0xa0, 0xe9, 0x2028, 0x20ac, 0xd83d, 0xde00, 0xfeff, 0xfffd, 0xffff];

const flipBit: Mutator = (text, { random }) => {
  if (text === "") return text;
  const at = random.below(text.length);
  return replaced(text, at, at + 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(7))));
};

const changeNumber: Mutator = (text, { random }) => {
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return text;
  const { index, 0: digits } = random.pick(numbers);
  return replaced(text, index, index + digits.length, random.pick(oddNumbers));
};
const oddNumbers = "0 1 -1 00 127 128 255 256 65535 65536 2147483647 2147483648 4294967296 9007199254740993 9223372036854775807"
  .split(" ")
  .concat("9223372036854775808 18446744073709551616 1e400 1e-400 0.1 .5 5. 1e3 0x10 0b1 1_000 999999999999999999999999".split(" "));

/** Puts a part of another text, or of this one, in the place of a part. */
const splice: Mutator = (text, { random, corpus }) => {
  const other = corpus.length === 0 ? text : random.pick(corpus);
  const [start, end] = range(text, random);
  const [from, to] = balanced(other, random) ?? range(other, random);
  return replaced(text, start, end, other.slice(from, to));
};

/** Swaps, removes, repeats or nests what stands between two brackets. */
const changeGroup: Mutator = (text, { random }) => {
  const group = balanced(text, random);
  if (group === undefined) return text;
  const [start, end] = group;
  const inside = text.slice(start, end);
  const other = balanced(text, random);
  switch (random.below(4)) {
    case 0:
      return replaced(text, start, end, "");
    case 1:
      return replaced(text, start, end, `${inside}${random.pick([",", "", " "])}${inside}`);
    case 2:
      return replaced(text, start, end, `${inside.slice(0, 1).repeat(1 + random.below(40))}${inside}`);
    default:
      return other === undefined ? text : replaced(text, start, end, text.slice(...other));
  }
};

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")", '"': '"', "'": "'" };

/** From a bracket, or quote, to the one that ends it. */
function balanced(text: string, random: Random): readonly [start: number, end: number] | undefined {
  const from = random.below(text.length + 1);
  for (let start = from; start < Math.min(text.length, from + 200); start++) {
    const open = text.charAt(start);
    const close = closing[open];
    if (close === undefined) continue;
    let depth = 0;
    for (let end = start + 1; end < text.length; end++) {
      const character = text.charAt(end);
      if (character === close && depth-- === 0) return [start, end + 1];
      if (character === open) depth++;
    }
  }
  return undefined;
}

const mutators: readonly Mutator[] = [
  insertWord,
  replaceByWord,
  remove,
  repeat,
  insertCharacter,
  flipBit,
  changeNumber,
  splice,
  splice,
  changeGroup,
];
