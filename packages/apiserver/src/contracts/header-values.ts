import type { HttpRequest } from "./http.ts";

/** Each value of a header that may be repeated; a comma inside a value separates nothing. */
export function headerValuesOf({ headers, rawHeaders }: Pick<HttpRequest, "headers" | "rawHeaders">, name: string): readonly string[] {
  const joined = headers[name];
  if (joined === undefined) return [];
  if (rawHeaders === undefined) return typeof joined === "string" ? [joined] : joined;
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
