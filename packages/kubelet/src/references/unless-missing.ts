import { isNotFound } from "@coxswain/machinery";

/** Undefined for an object that is not there and need not be. */
export async function unlessMissing<T>(found: Promise<T>, optional: boolean | undefined): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (optional === true && isNotFound(error)) return undefined;
    throw error;
  }
}
