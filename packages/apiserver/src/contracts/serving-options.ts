/** How requests are served, and how serving ends. */
export interface ServingOptions {
  /** Of a request on HTTP/2, that its client has to connect anew for the next one; at most 0.02. Default: 0. */
  readonly goawayChance?: number | undefined;
  /** From a request to the end of its answer, watches and other connections that stay open excepted. Default: a minute. */
  readonly requestTimeoutMs?: number | undefined;
  /** Watches without a timeout of their own end between one and two of these times. Default: half an hour. */
  readonly minRequestTimeoutMs?: number | undefined;
  /** For how long the server says that it is not ready before it ends, so that clients find another one. Default: 0. */
  readonly shutdownDelayMs?: number | undefined;
  /** Whether requests that come while those under way are answered get 429 instead of no connection. Default: false. */
  readonly shutdownSendRetryAfter?: boolean | undefined;
  /**
   * How long a GET may wait at most while others change the object, each after having read it: then fewer of their writes are refused, and read
   * again. Default: 0.
   */
  readonly maxContendedReadMs?: number | undefined;
  /** How many requests of one connection on HTTP/2 are served at the same time. Default: 1000. */
  readonly maxStreamsPerConnection?: number | undefined;
}

/** The longest that a request may take where nothing else is said. Milliseconds. */
export const defaultRequestTimeoutMs = 60_000;

/** A certificate with its key, in PEM. */
export interface ServingPair {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}
