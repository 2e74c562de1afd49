/** JSON with 64-bit integers: what a double cannot hold exactly is a bigint in memory and plain digits on the wire. */

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Like JSON.stringify, but bigints become integer literals. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, v) => (typeof v === "bigint" ? JSON.rawJSON(String(v)) : v), indent);
  }
}
