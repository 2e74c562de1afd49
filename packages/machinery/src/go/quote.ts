/** Texts as Go's fmt prints them, because clients and people match on the messages. */

const shortEscapes: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** A string as Go's %q shows it. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, escapeRune)}"`;
}

function escapeRune(rune: string): string {
  const short = shortEscapes[rune];
  if (short !== undefined) return short;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** A list as Go's %v shows it: `[a b]`. */
export const goList = (items: readonly unknown[]): string => `[${items.join(" ")}]`;
