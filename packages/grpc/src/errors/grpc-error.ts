/** gRPC's codes, and failures that read as a Go client's. */

/** The numbers of codes by their names. @see https://grpc.io/docs/guides/status-codes/ */
export const grpcCodes = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

const names: readonly string[] = Object.keys(grpcCodes);

/** A call that has failed: its code, and what the server, or the client itself, said of it. */
export class GrpcError extends Error {
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string, options?: ErrorOptions) {
    super(`rpc error: code = ${names[code] ?? `Code(${code})`} desc = ${details}`, options);
    this.name = "GrpcError";
    this.code = code;
    this.details = details;
  }
}
