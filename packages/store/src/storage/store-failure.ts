/** What a store fails with, on its way between threads: classes do not survive it. */
import { CompactedError, FutureRevisionError, OutcomeUnknownError, OverloadedError, type Revision, StorageError } from "./store.ts";
import { TransformError } from "./value-transformer.ts";

/** One of a store's own errors, as plain data. */
export type StoreFailure =
  | { readonly kind: "storage"; readonly message: string; readonly isForClients: boolean }
  | { readonly kind: "outcome unknown" | "overloaded" | "transform"; readonly message: string }
  | { readonly kind: "compacted"; readonly asked: Revision; readonly oldest: Revision }
  | { readonly kind: "future"; readonly asked: Revision; readonly current: Revision };

/** Makes plain data of an error; undefined for one that is none of a store's own. */
export function storeFailureOf(error: unknown): StoreFailure | undefined {
  if (error instanceof OverloadedError) return { kind: "overloaded", message: error.message };
  if (error instanceof StorageError) return { kind: "storage", message: error.message, isForClients: error.isForClients };
  if (error instanceof TransformError) return { kind: "transform", message: error.message };
  if (error instanceof OutcomeUnknownError) return { kind: "outcome unknown", message: error.message };
  if (error instanceof CompactedError) return { kind: "compacted", asked: error.asked, oldest: error.oldest };
  if (error instanceof FutureRevisionError) return { kind: "future", asked: error.asked, current: error.current };
  return undefined;
}

/** The error that `storeFailureOf` has made plain data of. */
export function storeErrorOf(failure: StoreFailure): Error {
  switch (failure.kind) {
    case "storage":
      return new StorageError(failure.message, { isForClients: failure.isForClients });
    case "overloaded":
      return new OverloadedError(failure.message);
    case "transform":
      return new TransformError(failure.message);
    case "outcome unknown":
      return new OutcomeUnknownError(failure.message);
    case "compacted":
      return new CompactedError(failure.asked, failure.oldest);
    case "future":
      return new FutureRevisionError(failure.asked, failure.current);
  }
}
