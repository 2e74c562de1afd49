/** Warning headers as RFC 7234 words them and Kubernetes bounds them. */

const maxRunes = 4096;
const maxRunesEachWhenTooMany = 256;
const noHeaders: Readonly<Record<string, readonly string[]>> = { __proto__: null as never };

/** Repeats are dropped; once all together are too long, each is cut, and what comes when even that is full is left out. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, readonly string[]>> {
  if (warnings.length === 0) return noHeaders;
  const unique = [...new Set(warnings)].filter((text) => text !== "").map((text) => text.replace(/\p{Cc}/gu, " "));
  const total = unique.reduce((sum, text) => sum + runesOf(text), 0);
  return { warning: (total <= maxRunes ? unique : shortened(unique)).map(headerValue) };
}

/** Node writes header values as latin1; clients read UTF-8. */
const headerValue = (text: string): string => Buffer.from(`299 - "${text.replace(/["\\]/g, "\\$&")}"`, "utf8").toString("latin1");

function shortened(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (total >= maxRunes) break;
    const short = runesOf(text) <= maxRunesEachWhenTooMany ? text : [...text].slice(0, maxRunesEachWhenTooMany).join("");
    total += runesOf(short);
    kept.push(short);
  }
  return kept;
}

/** Characters outside the basic plane are two UTF-16 units, but one rune. */
function runesOf(text: string): number {
  let runes = 0;
  for (const _ of text) runes++;
  return runes;
}
