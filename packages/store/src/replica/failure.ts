/** Errors of a store on their way between threads: classes do not survive it. */
import { messageOf } from "@coxswain/machinery";
import {
  CompactedError,
  FutureRevisionError,
  OutcomeUnknownError,
  OverloadedError,
  type Revision,
  StorageError,
} from "../storage/store.ts";
import { TransformError } from "../storage/value-transformer.ts";

export type Failure =
  | { readonly kind: "storage"; readonly message: string; readonly isForClients: boolean }
  | { readonly kind: "outcome unknown" | "overloaded" | "transform" | "type" | "unexpected"; readonly message: string }
  | { readonly kind: "compacted"; readonly asked: Revision; readonly oldest: Revision }
  | { readonly kind: "future"; readonly asked: Revision; readonly current: Revision };

export function failureOf(error: unknown): Failure {
  if (error instanceof OverloadedError) return { kind: "overloaded", message: error.message };
  if (error instanceof StorageError) return { kind: "storage", message: error.message, isForClients: error.isForClients };
  if (error instanceof TransformError) return { kind: "transform", message: error.message };
  if (error instanceof OutcomeUnknownError) return { kind: "outcome unknown", message: error.message };
  if (error instanceof CompactedError) return { kind: "compacted", asked: error.asked, oldest: error.oldest };
  if (error instanceof FutureRevisionError) return { kind: "future", asked: error.asked, current: error.current };
  return { kind: error instanceof TypeError ? "type" : "unexpected", message: messageOf(error) };
}

export function errorOf(failure: Failure): Error {
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
    case "type":
      return new TypeError(failure.message);
    case "unexpected":
      return new Error(failure.message);
  }
}
