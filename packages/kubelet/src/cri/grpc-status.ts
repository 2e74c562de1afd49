/** gRPC's codes as RuntimeErrors, with the texts that events and conditions of a Go kubelet show. */
import type { ServiceError } from "@grpc/grpc-js";
import { connectReasons } from "../probe/dial-error.ts";
import { RuntimeError, type RuntimeErrorKind } from "../runtime/runtime-error.ts";

/** By number. @see https://grpc.io/docs/guides/status-codes/ */
const codes: readonly (readonly [name: string, kind: RuntimeErrorKind])[] = [
  ["OK", "unknown"],
  ["Canceled", "unavailable"],
  ["Unknown", "unknown"],
  ["InvalidArgument", "refused"],
  ["DeadlineExceeded", "timeout"],
  ["NotFound", "notFound"],
  ["AlreadyExists", "alreadyExists"],
  ["PermissionDenied", "refused"],
  ["ResourceExhausted", "refused"],
  ["FailedPrecondition", "refused"],
  ["Aborted", "unknown"],
  ["OutOfRange", "refused"],
  ["Unimplemented", "unimplemented"],
  ["Internal", "unknown"],
  ["Unavailable", "unavailable"],
  ["DataLoss", "unknown"],
  ["Unauthenticated", "refused"],
];

export function fromServiceError(error: ServiceError): RuntimeError {
  const [name, kind] = codes[error.code] ?? [String(error.code), "unknown"];
  return new RuntimeError(kind, grpcMessage(name, kind === "unavailable" ? inWordsOfGo(error.details) : error.details));
}

/** A socket without a server. */
function inWordsOfGo(details: string): string {
  const [, code = "", path] = /\bconnect (E[A-Z]+) (\S+?)\. Resolution note/.exec(details) ?? [];
  const reason = connectReasons[code];
  if (reason === undefined) return details;
  return `connection error: desc = "transport: Error while dialing: dial unix ${path}: ${reason}"`;
}

/** When the kubelet itself gives up waiting. */
export function deadlineExceeded(): RuntimeError {
  return new RuntimeError("timeout", grpcMessage("DeadlineExceeded", "context deadline exceeded"));
}

export function isKind(error: unknown, kind: RuntimeErrorKind): error is RuntimeError {
  return error instanceof RuntimeError && error.kind === kind;
}

/** What the runtime itself said, without the code in front of it. */
export function descriptionOf(error: RuntimeError): string {
  return error.message.replace(/^rpc error: code = \w+ desc = /, "");
}

function grpcMessage(code: string, description: string): string {
  return `rpc error: code = ${code} desc = ${description}`;
}
