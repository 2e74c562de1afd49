/** One start tag at the beginning of a text, and where the values of its attributes stand. */

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

const isSpace = (character: string | undefined): boolean => character !== undefined && " \t\n\f\r".includes(character);

/** Undefined when it goes on behind the text. @see https://html.spec.whatwg.org/multipage/parsing.html#tag-open-state */
export function scanTag(text: string): Tag | undefined {
  let at = 1;
  const until = (ends: string): string => {
    const from = at;
    while (at < text.length && !ends.includes(text[at] ?? "")) at++;
    return text.slice(from, at);
  };
  const spaces = (): void => {
    while (isSpace(text[at])) at++;
  };
  const name = until(" \t\n\f\r/>").toLowerCase();
  const attributes: Attribute[] = [];
  for (;;) {
    while (isSpace(text[at]) || text[at] === "/") at++;
    if (at >= text.length) return undefined;
    if (text[at] === ">") return { name, attributes, end: at + 1 };
    const start = at++;
    until(" \t\n\f\r/>=");
    const key = text.slice(start, at).toLowerCase();
    spaces();
    if (text[at] !== "=") continue;
    at++;
    spaces();
    const from = at;
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      at++;
      const value = until(quote);
      at++;
      attributes.push({ key, value, from, to: at });
    } else {
      const value = until(" \t\n\f\r>");
      attributes.push({ key, value, from, to: at });
    }
  }
}
