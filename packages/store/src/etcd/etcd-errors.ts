/** What failures of etcd mean to who waits for an answer. */
import { GrpcError, grpcCodes } from "@coxswain/grpc";
import { tlsReason } from "@coxswain/machinery";
import { StorageError } from "../storage/store.ts";

/** Of a revision that is no longer kept. */
export const isCompacted = (error: unknown): boolean =>
  error instanceof GrpcError && error.code === grpcCodes.OutOfRange && error.details.includes("required revision has been compacted");

/** Codes with which etcd says that it has looked at a request and done nothing. */
const refusals: ReadonlySet<number> = new Set([
  grpcCodes.InvalidArgument,
  grpcCodes.NotFound,
  grpcCodes.AlreadyExists,
  grpcCodes.PermissionDenied,
  grpcCodes.ResourceExhausted,
  grpcCodes.FailedPrecondition,
  grpcCodes.OutOfRange,
  grpcCodes.Unimplemented,
  grpcCodes.Unauthenticated,
]);

/** Whether it is certain that a request has had no effect. What has only lost its answer may have had one. */
export const isRefused = (error: unknown): boolean => error instanceof GrpcError && refusals.has(error.code);

/** Whether a connection has failed by certificates, of either side: another attempt with the same ones does, too. */
export function isCertificateProblem(error: unknown): boolean {
  const cause = error instanceof GrpcError ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  // What OpenSSL says of PEM texts that are none, or of a key that does not belong to its certificate.
  return tlsReason(cause) !== undefined || ("code" in cause && String(cause.code).startsWith("ERR_OSSL_"));
}

/** No more space below `--quota-backend-bytes`: reads go on, and writes once somebody has made room. */
export const isOutOfSpace = (error: unknown): boolean =>
  error instanceof GrpcError && error.code === grpcCodes.ResourceExhausted && error.details.includes("database space exceeded");

/** What Kubernetes' clients see of a failure: etcd's own words. */
export const textOf = (error: unknown): string => (error instanceof GrpcError ? error.details : String(error));

/** What is known not to have been written, in etcd's words where it has some: clients see those as Kubernetes' do. */
export function storageErrorOf(error: unknown): StorageError {
  const message = messageTooLarge(error);
  if (message !== undefined) return new StorageError(message, { cause: error, isForClients: true });
  return new StorageError(textOf(error), {
    cause: error,
    isForClients: error instanceof GrpcError && error.details.startsWith("etcdserver: "),
  });
}

/**
 * What is larger than `--max-request-bytes` and half a MiB does not come as far as etcd's own limit. kube-apiserver's client refuses to send
 * it, at what is by default the same number; these are its words.
 */
function messageTooLarge(error: unknown): string | undefined {
  if (!(error instanceof GrpcError) || error.code !== grpcCodes.ResourceExhausted) return undefined;
  const [, sizes] = /^grpc: received message larger than max (\(\d+ vs\. \d+\))$/.exec(error.details) ?? [];
  return sizes && `rpc error: code = ResourceExhausted desc = trying to send message larger than max ${sizes}`;
}

/** @throws StorageError in place of GrpcError */
export async function inStorageWords<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof GrpcError ? storageErrorOf(error) : error;
  }
}
