/** gRPC's codes as RuntimeErrors, whose texts are what events and conditions of a Go kubelet show. */
import type { GrpcError } from "@coxswain/grpc";
import { RuntimeError, type RuntimeErrorKind } from "../runtime/runtime-error.ts";

/** By number. @see https://grpc.io/docs/guides/status-codes/ */
const kinds: readonly RuntimeErrorKind[] = [
  "unknown", // OK
  "unavailable", // Canceled
  "unknown", // Unknown
  "refused", // InvalidArgument
  "timeout", // DeadlineExceeded
  "notFound", // NotFound
  "alreadyExists", // AlreadyExists
  "refused", // PermissionDenied
  "refused", // ResourceExhausted
  "refused", // FailedPrecondition
  "unknown", // Aborted
  "refused", // OutOfRange
  "unimplemented", // Unimplemented
  "unknown", // Internal
  "unavailable", // Unavailable
  "unknown", // DataLoss
  "refused", // Unauthenticated
];

export function fromGrpcError(error: GrpcError): RuntimeError {
  return new RuntimeError(kinds[error.code] ?? "unknown", error.message, { cause: error });
}

export function isKind(error: unknown, kind: RuntimeErrorKind): error is RuntimeError {
  return error instanceof RuntimeError && error.kind === kind;
}

/** What the runtime itself said, without the code in front of it. */
export function descriptionOf(error: RuntimeError): string {
  return error.message.replace(/^rpc error: code = \w+ desc = /, "");
}
