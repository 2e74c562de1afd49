/** A request and its answer, independent of HTTP/2, HTTP/1.1 or a call within the process. */
import type { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";

/** How what is written is cut into WebSocket messages: after each newline, as four bytes before each part say, or anywhere. */
export type Messages = "lines" | "lengths" | "bytes";

/** A certificate that came with the connection, whose private key the client has. */
export interface ClientCertificate {
  readonly certificate: X509Certificate;
  /** Why it does not count; undefined when it was signed by the authority for clients and was valid at that time. */
  readonly problem: string | undefined;
}

/** A request as it came, by whatever protocol, but for its body. */
export interface HttpRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; empty when there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, as sent: in `headers`, Node joins the values of a name with commas. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly remoteAddress: string;
  readonly http1: boolean;
  /** Whether nobody waits for the answer any more. */
  readonly isGone?: boolean;
  /** What the client proved to have when it connected. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/**
 * Where a long answer goes. `write` returns false when the client reads too slowly; whoever writes then either
 * waits for `drained` or gives up. Nothing may be written after `end` or once closed.
 */
export interface Sink {
  write(chunk: Uint8Array): boolean;
  end(): void;
  /** Ends at once, so that the client sees that the answer is incomplete. */
  abort(): void;
  /** Bytes accepted but not yet handed to the network. */
  readonly buffered: number;
  /** With more than this the reader of a watch is given up. Bytes; default 4 MiB. */
  readonly maxBuffered?: number;
  /** Whether a write costs more than its bytes: then the events of one round of the event loop had better be one. */
  readonly prefersFewWrites?: boolean;
  readonly closed: boolean;
  onClose(fn: () => void): void;
  drained(): Promise<void>;
}

/** Chunks that are made one by one. Who has no use for one any more may give it to `next`: then a later one may take its memory. */
export type Chunks = Iterable<Uint8Array, void, Uint8Array | undefined>;

/**
 * `chunks` are made while the client reads; `stream` is for what has no end of its own: what `start` returns resolves when all is
 * written that was there to begin with. With `messages` it can go over a
 * WebSocket, and then each write holds whole messages. A `tunnel` is the connection itself, which from now on is passed on
 * to a peer; only a request for an upgrade gets one. Whoever has no use for an answer any more says so with `discard`.
 */
export type Body =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "chunks"; readonly chunks: Chunks }
  | {
      readonly kind: "stream";
      readonly start: (sink: Sink) => Promise<void> | void;
      readonly messages?: Messages;
      readonly discard?: () => void;
    }
  | { readonly kind: "tunnel"; readonly peer: Duplex; readonly head: Uint8Array; readonly discard: () => void };

/** The answer to a request, to be sent by whatever protocol. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Body;
  /** Close the connection once the requests under way are answered (HTTP/2: GOAWAY). */
  readonly closeConnection?: boolean;
}

/** What follows the headers of a request, of which nothing is kept before it is asked for. */
export interface UnreadBody {
  /** The length that the client gives, in bytes. */
  readonly announced: number | undefined;
  /** All of it, if that is not more than `limit` bytes, and there is room for each part as it comes. Once. */
  read(limit: number, hasRoom: (bytes: number) => boolean): Promise<Uint8Array | UnreadBodyProblem>;
}

/** Why there is no body. */
export type UnreadBodyProblem = "too large" | "no room" | "aborted";

/** Answers requests, and rejects none: what fails is an answer, too. A body that is there already is all of what was sent. */
export type HttpHandler = (request: HttpRequest, body: Uint8Array | UnreadBody) => Promise<Reply>;
