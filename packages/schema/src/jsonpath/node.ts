/** What a JSONPath template consists of once it is parsed. */

export type Node =
  /** The parts of one `{…}`, each applied to what the one before it found. */
  | { readonly type: "list"; readonly nodes: readonly Node[] }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "field"; readonly name: string }
  /** `step` is undefined where the text gives none; `end` is start + 1 where it gives only a start. */
  | { readonly type: "slice"; readonly start: number | undefined; readonly end: SliceEnd; readonly step: number | undefined }
  /** The operator is `exists`, a comparison, or an error once it is used. */
  | { readonly type: "filter"; readonly left: readonly Node[]; readonly operator: string; readonly right: readonly Node[] }
  | { readonly type: "union"; readonly lists: readonly (readonly Node[])[] }
  | { readonly type: "wildcard" }
  | { readonly type: "descent" }
  /** `range`, `end`, and what is an error once it is used. */
  | { readonly type: "identifier"; readonly name: string }
  | { readonly type: "constant"; readonly value: number | bigint | boolean; readonly kind: "int" | "float" | "bool" };

export type SliceEnd = { readonly at: number; readonly derived: boolean } | undefined;

/** The template cannot be parsed, or cannot be applied to a value. The message is client-go's. */
export class JsonPathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonPathError";
  }
}
