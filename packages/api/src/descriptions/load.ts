/** A type's texts by field; "" is the type's own. */
export type Descriptions = (type: string) => Readonly<Record<string, string>>;

/** The texts of `kubectl explain`. They are read when OpenAPI is first asked for: a server starts without them. */
export async function loadDescriptions(): Promise<Descriptions> {
  const { describe } = await import("./describe.ts");
  return describe;
}
