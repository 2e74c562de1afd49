/** `grpc.health.v1.Health/Check`. */
import { connectGrpc, type GrpcConnection, GrpcError, type GrpcMethod, grpcMethods, parseProto } from "@coxswain/grpc";
import { type Clock, sleep } from "@coxswain/machinery";
import type { DialTarget, HealthAnswer } from "./dial.ts";

/** @see https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
const health = `
  package grpc.health.v1;
  service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse { ServingStatus status = 1; }
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
`;

/** How long to wait with another attempt: a container may listen before the time of the probe is over. */
const retryMs = 100;

export const healthMethods = (): ReadonlyMap<string, GrpcMethod> => grpcMethods(parseProto(health), "grpc.health.v1.Health");

export async function checkHealth(
  { host, port, timeoutMs, service }: DialTarget & { readonly service: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  signal.throwIfAborted();
  using connection = connectGrpc({ address: { host, port }, clock, userAgent: "kube-probe/1.36" });
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<HealthAnswer>();
  let isConnected = false;
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  using _timer = clock.schedule(timeoutMs, () =>
    resolve(isConnected ? { kind: "failed", code: 4, message: "context deadline exceeded" } : { kind: "unreachable" }),
  );
  const onConnected = (): void => {
    isConnected = true;
  };
  check(connection, service, { clock, signal: ended, onConnected }).then(resolve, reject);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    over.abort();
  }
}

interface Attempt {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onConnected(): void;
}

/** Waits until there is a server. */
async function check(connection: GrpcConnection, service: string, { clock, signal, onConnected }: Attempt): Promise<HealthAnswer> {
  while (!(await isReady(connection))) await sleep(clock, retryMs, signal);
  onConnected();
  try {
    const method = healthMethods().get("Check") as GrpcMethod;
    return { kind: "answered", ...((await connection.call(method, { service }, { signal })) as { readonly status: ServingStatus }) };
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return { kind: "failed", code: error.code, message: error.details };
  }
}

type ServingStatus = (HealthAnswer & { readonly kind: "answered" })["status"];

async function isReady(connection: GrpcConnection): Promise<boolean> {
  try {
    await connection.ready();
    return true;
  } catch (error) {
    if (error instanceof GrpcError) return false;
    throw error;
  }
}
