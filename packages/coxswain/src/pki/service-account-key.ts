/** The key of service account tokens: made once, so that tokens outlive a restart. */
import { makeServiceAccountKey, readSigningKey } from "@coxswain/apiserver";
import type { PemStore } from "./pem-store.ts";

/** Returns PEM. What is damaged is replaced; the tokens signed with it end. */
export function serviceAccountKey(store: PemStore): string {
  const kept = store.read("sa.key");
  if (kept !== undefined && isUsable(kept)) return kept;
  const made = makeServiceAccountKey();
  store.write("sa.key", made);
  return made;
}

function isUsable(pem: string): boolean {
  try {
    readSigningKey(pem);
    return true;
  } catch {
    return false;
  }
}
