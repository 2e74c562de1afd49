/** How long clients may take. Milliseconds. The defaults are the original's. */
export interface ConnectionLimits {
  /** From connecting to the end of a request's headers. */
  readonly headersMs: number;
  /** From a request's headers to the end of its answer, watches excepted. */
  readonly requestMs: number;
  /** How long a connection may stay open without a request. */
  readonly idleMs: number;
}

export const defaultLimits: ConnectionLimits = { headersMs: 32_000, requestMs: 60_000, idleMs: 90_000 };
