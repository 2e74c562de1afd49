/**
 * The texts of a Warning header: `299 - "text"`, several of them after commas.
 * @see https://www.rfc-editor.org/rfc/rfc7234#section-5.5
 */
const warning = /(\d{3}) +(?:[^\s"]+) +"((?:[^"\\]|\\.)*)"(?: +"[^"]*")?/gs;

/** What cannot be read is left out. Only 299 is Kubernetes' own; caches on the way add others. */
export function parseWarnings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return [...header.matchAll(warning)].filter(([, code]) => code === "299").map(([, , text = ""]) => text.replace(/\\(.)/gs, "$1"));
}
