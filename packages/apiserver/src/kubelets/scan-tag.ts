/** One start tag, and where the values of its attributes stand. */

export interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly attributes: readonly Attribute[];
  /** Of the text behind it. */
  readonly end: number;
}

export interface Attribute {
  /** In lower case. */
  readonly key: string;
  readonly value: string;
  /** With its quotes. */
  readonly from: number;
  readonly to: number;
}

/** Asks for more text until the tag has ended: what it was given it never needs again. */
export type TagScan = Generator<undefined, Tag, string>;

const space = " \t\n\f\r";

/** Of text that begins with the tag. @see https://html.spec.whatwg.org/multipage/parsing.html#tag-open-state */
export function* scanTag(begin: string): TagScan {
  let text = begin;
  /** How much came before `text`. */
  let before = 0;
  let at = 1;
  function* more(): Generator<undefined, void, string> {
    before += text.length;
    at = 0;
    text = yield;
  }
  function* until(ends: string): Generator<undefined, string, string> {
    for (let found = ""; ; yield* more()) {
      const from = at;
      while (at < text.length && !ends.includes(text[at] ?? "")) at++;
      found += text.slice(from, at);
      if (at < text.length) return found;
    }
  }
  /** What stands behind them. */
  function* skip(characters: string): Generator<undefined, string, string> {
    for (; ; yield* more()) {
      while (at < text.length && characters.includes(text[at] ?? "")) at++;
      const next = text[at];
      if (next !== undefined) return next;
    }
  }
  const name = (yield* until(`${space}/>`)).toLowerCase();
  const attributes: Attribute[] = [];
  for (;;) {
    const first = yield* skip(`${space}/`);
    at++;
    if (first === ">") return { name, attributes, end: before + at };
    const key = (first + (yield* until(`${space}/>=`))).toLowerCase();
    if ((yield* skip(space)) !== "=") continue;
    at++;
    const quote = yield* skip(space);
    const from = before + at;
    const isQuoted = quote === '"' || quote === "'";
    if (isQuoted) at++;
    const value = yield* until(isQuoted ? quote : `${space}>`);
    if (isQuoted) at++;
    attributes.push({ key, value, from, to: before + at });
  }
}
