import type { Descriptions } from "./texts.ts";

/** The texts of `kubectl explain`. They are read when OpenAPI is first asked for: a server starts without them. */
export async function loadDescriptions(): Promise<Descriptions> {
  const { describe } = await import("./describe.ts");
  return describe;
}
