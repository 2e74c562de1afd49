/** How requests reach a server: over HTTP/2 from Node, with fetch from a page, or straight into a server of this process. */

/** A request as a transport sends it. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  /** From the root, with the query: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Aborting rejects with its reason, and ends the body of an answer that has begun. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer whose head has come and whose body is read once, by one of its methods. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; several values of one name are joined with ", ". */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whole, or as it comes; one of the two, once. An answer that is not read is given up with `cancel`. */
  bytes(): Promise<Uint8Array>;
  chunks(): AsyncIterable<Uint8Array>;
  cancel(): void;
}

/** An open WebSocket with one of the offered subprotocols, for exec, attach and port-forward. */
export interface Socket {
  readonly protocol: string;
  /** Whole binary messages; ends when the peer closes, throws ConnectionError when the connection is lost. */
  messages(): AsyncIterable<Uint8Array>;
  /** Resolves once the message is handed on, so that who writes faster than the network waits. */
  send(message: Uint8Array): Promise<void>;
  close(): void;
}

/** A request for a WebSocket. */
export interface SocketRequest {
  readonly path: string;
  /** In the order of preference. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds what proves who is asking. Nothing is retried here.
 * @throws ConnectionError when no answer came; the request may have taken effect nevertheless
 */
export interface Transport extends AsyncDisposable {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Absent where the transport has no way to do it. */
  open?(request: SocketRequest): Promise<Socket>;
}

/** What is known of a connection that failed; see the properties of `ConnectionError`. */
export interface ConnectionFailure {
  readonly unsent?: boolean;
  readonly lasting?: boolean;
  readonly cause?: unknown;
}

/** No answer came, or it broke off. */
export class ConnectionError extends Error {
  /** Certain that the server never saw the request, so that sending it again is harmless. */
  readonly unsent: boolean;
  /** Will be so until the configuration changes, as with a certificate that is not trusted: nothing is tried again at once. */
  readonly lasting: boolean;
  constructor(message: string, { unsent = false, lasting = false, cause }: ConnectionFailure = {}) {
    super(message, { cause });
    this.name = "ConnectionError";
    this.unsent = unsent;
    this.lasting = lasting;
  }
}
