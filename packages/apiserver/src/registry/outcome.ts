import type { KubeObject } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";

/** An object as stored, or, after a dry run or a write that only finished a deletion, as it would be. */
export type Outcome =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "object"; readonly object: Readonly<KubeObject> };
