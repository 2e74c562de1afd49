/** Errors on their way between the thread that has the store and those with copies of it. */
import { messageOf } from "@coxswain/machinery";
import { type StoreFailure, storeErrorOf, storeFailureOf } from "../storage/store-failure.ts";

export type Failure = StoreFailure | { readonly kind: "type" | "unexpected"; readonly message: string };

export const failureOf = (error: unknown): Failure =>
  storeFailureOf(error) ?? { kind: error instanceof TypeError ? "type" : "unexpected", message: messageOf(error) };

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "type":
      return new TypeError(failure.message);
    case "unexpected":
      return new Error(failure.message);
    default:
      return storeErrorOf(failure);
  }
}
