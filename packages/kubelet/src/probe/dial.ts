/**
 * How probes and hooks reach a container: over the network, or, where nothing really runs, by asking who simulates it.
 * A call that fails rejects with an Error whose message is what Go's client says of it, `dial tcp 10.0.0.7:80: connect:
 * connection refused`: it is what stands in the events.
 */
export interface Dial {
  /** One exchange: a redirect is an answer. The body is cut off at `bodyLimit` bytes. */
  http(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  /** Opens a connection and closes it. */
  tcp(call: DialTarget, signal: AbortSignal): Promise<void>;
  /** One `grpc.health.v1.Health/Check`. */
  grpc(call: DialTarget & { readonly service: string }, signal: AbortSignal): Promise<HealthAnswer>;
}

/** Where a probe or a hook connects to, and how many milliseconds that may take. */
export interface DialTarget {
  readonly containerId: string;
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
}

/** One HTTP GET of a probe or a hook. */
export interface HttpCall extends DialTarget {
  readonly scheme: "http" | "https";
  /** With its query, as it is sent. */
  readonly path: string;
  /** In order, repeated ones too; `Host` is the one to send. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What an HTTP GET was answered with; the body ends at `bodyLimit`. */
export interface HttpAnswer {
  readonly status: number;
  readonly location?: string;
  readonly body: string;
}

/** How a gRPC health check has ended. */
export type HealthAnswer =
  | { readonly kind: "answered"; readonly status: "UNKNOWN" | "SERVING" | "NOT_SERVING" | "SERVICE_UNKNOWN" }
  /** No connection came about in time. */
  | { readonly kind: "unreachable" }
  /** In time or not at all: the code is gRPC's. */
  | { readonly kind: "failed"; readonly code: number; readonly message: string };

/** So many bytes of a body are read; what follows is dropped. */
export const bodyLimit = 10 * 1024;

/** As Go does it: IPv6 addresses stand in brackets. */
export const joinHostPort = (host: string, port: number): string => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
