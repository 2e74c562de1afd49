/** `grpc.health.v1.Health/Check`. The messages are one field each, read and written here. */

import type { Clock } from "@coxswain/machinery";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { type DialTarget, type HealthAnswer, joinHostPort } from "./dial.ts";

const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] as const;

export async function checkHealth(
  target: DialTarget & { readonly service: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  signal.throwIfAborted();
  const client = new Client(joinHostPort(target.host, target.port), credentials.createInsecure(), {
    "grpc.primary_user_agent": "kube-probe/1.36",
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.enable_http_proxy": 0,
    "grpc.use_local_subchannel_pool": 1,
  });
  const { promise, resolve, reject } = Promise.withResolvers<HealthAnswer>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let isConnected = false;
  const timer = clock.schedule(target.timeoutMs, () =>
    resolve(isConnected ? { kind: "failed", code: 4, message: "context deadline exceeded" } : { kind: "unreachable" }),
  );
  client.waitForReady(Number.POSITIVE_INFINITY, (error) => {
    if (error !== undefined) return;
    isConnected = true;
    client.makeUnaryRequest(
      "/grpc.health.v1.Health/Check",
      encodeRequest,
      decodeStatus,
      target.service,
      new Metadata(),
      { deadline: Number.POSITIVE_INFINITY },
      (error, status) => resolve(answerOf(error, status)),
    );
  });
  try {
    return await promise;
  } finally {
    timer[Symbol.dispose]();
    signal.removeEventListener("abort", onAbort);
    client.close();
  }
}

function answerOf(error: ServiceError | null, status: number | undefined): HealthAnswer {
  if (error !== null) return { kind: "failed", code: error.code, message: error.details };
  return { kind: "answered", status: statuses[status ?? 0] ?? "UNKNOWN" };
}

/** Field 1 is the service's name. */
function encodeRequest(service: string): Buffer {
  const name = Buffer.from(service);
  if (name.length === 0) return Buffer.alloc(0);
  const length = name.length < 128 ? [name.length] : [(name.length & 127) | 128, name.length >> 7];
  return Buffer.concat([Buffer.from([0x0a, ...length]), name]);
}

/** Field 1 is the status, a number below 128. */
function decodeStatus(bytes: Buffer): number {
  return bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0;
}
