/** Warning headers as RFC 7234 words them and Kubernetes bounds them. */

const mostRunes = 4096;
const mostRunesEachWhenTooMany = 256;
const noHeaders: Readonly<Record<string, readonly string[]>> = {};

export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, readonly string[]>> {
  if (warnings.length === 0) return noHeaders;
  const unique = [...new Set(warnings)].map(clean);
  const total = unique.reduce((sum, text) => sum + text.length, 0);
  const shown = total <= mostRunes ? unique : shortened(unique);
  return { warning: shown.map((text) => `299 - "${text.replace(/["\\]/g, "\\$&")}"`) };
}

/** Header values carry no control characters, and node writes them as latin1. */
const clean = (text: string): string => Buffer.from(text.replace(/\p{Cc}/gu, " "), "utf8").toString("latin1");

function shortened(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    const short = text.slice(0, mostRunesEachWhenTooMany);
    total += short.length;
    if (total > mostRunes) break;
    kept.push(short);
  }
  return kept;
}
