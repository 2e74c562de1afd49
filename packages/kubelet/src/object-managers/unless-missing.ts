import { isObjectNotFound } from "@coxswain/client";
import type { Reference } from "./pod-references.ts";

/** Undefined for an object that is not there and need not be. @throws as what was asked, when it is unknown whether it exists */
export async function unlessMissing<T>(
  found: Promise<T>,
  { kind, name }: Reference,
  optional: boolean | undefined,
): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    // Kubelets name what is missing by its kind.
    if (optional === true && isObjectNotFound(error, { group: "", resource: kind }, name)) return undefined;
    throw error;
  }
}
