/** What clients may take: times in milliseconds, and streams. The defaults are those of Kubernetes. */
export interface ConnectionLimits {
  /** From connecting to the end of a request's headers. */
  readonly headersMs: number;
  /** From a request's headers to the end of its answer, watches excepted. */
  readonly requestMs: number;
  /** How long a connection may stay open without a request. */
  readonly idleMs: number;
  /** How many requests of one connection on HTTP/2 may be under way. */
  readonly streams: number;
}

export const defaultLimits: ConnectionLimits = { headersMs: 32_000, requestMs: 60_000, idleMs: 90_000, streams: 1_000 };
