/** One call on a session: its stream, and how it has ended. */
import { STATUS_CODES } from "node:http";
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import type { Session } from "./session.ts";

/** Who reads what comes back, in the turn in which it comes. */
export interface ExchangeReader {
  /** A piece of the messages. */
  data(piece: Buffer): void;
  /** The server has said how it has ended; of what it has sent before, something may still come. */
  ending?(): void;
  /** Nothing comes any more. */
  closed(): void;
}

export type CallHeaders = Readonly<Record<string, string>> | readonly string[];

export interface ExchangeRequest {
  readonly path: string;
  readonly scheme: string;
  readonly authority: string;
  /** Further headers, among them `user-agent`; lower-case names. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Node takes a list of names and values from its version 24.2 on, which it need not put together and apart for each call. */
const takesLists = Number(process.versions.node.split(".")[0]) > 24;

/** May be used for any number of calls. */
export function headersOf({ path, scheme, authority, metadata }: ExchangeRequest): CallHeaders {
  const headers = {
    ":method": "POST",
    ":scheme": scheme,
    ":authority": authority,
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...metadata,
  };
  return takesLists ? Object.entries(headers).flat() : headers;
}

export class Exchange {
  readonly stream: ClientHttp2Stream;
  readonly #session: Session;
  #headers: IncomingHttpHeaders | undefined;
  #trailers: IncomingHttpHeaders | undefined;
  #error: Error | undefined;
  #reader: ExchangeReader | undefined;

  /** @throws GrpcError where the session has just ended */
  constructor(session: Session, headers: CallHeaders) {
    const { http2 } = session;
    if (http2.closed || http2.destroyed) throw lost(undefined);
    this.#session = session;
    this.stream = http2.request(headers);
    this.stream.on("response", (received) => {
      this.#headers = received;
      if (received["grpc-status"] !== undefined) this.#endToo();
    });
    this.stream.on("trailers", (received) => {
      this.#trailers = received;
      this.#endToo();
      this.#reader?.ending?.();
    });
    this.stream.on("error", (thrown) => {
      this.#error = thrown;
    });
  }

  /** Once, and before anything else could have happened since it was opened. */
  read(reader: ExchangeReader): void {
    this.#reader = reader;
    this.stream.on("data", (piece: Buffer) => reader.data(piece));
    this.stream.on("close", () => reader.closed());
  }

  /** When the server has said how it has ended, or the stream has closed: undefined where the server has said OK. */
  failure(): GrpcError | undefined {
    const [headers, trailers] = [this.#headers, this.#trailers];
    const status = trailers?.["grpc-status"] ?? headers?.["grpc-status"];
    if (status !== undefined) return statusFailure(String(status), trailers?.["grpc-message"] ?? headers?.["grpc-message"]);
    if (headers !== undefined && !isGrpc(headers)) return httpFailure(headers);
    const { socket, http2 } = this.#session;
    if (socket.destroyed || http2.destroyed) return lost(this.#error);
    const { rstCode = 0 } = this.stream;
    if (rstCode !== 0) return reset(rstCode);
    return new GrpcError(grpcCodes.Internal, "server closed the stream without sending trailers", { cause: this.#error });
  }

  /** Messages as they are sent: see `MessageCodec.frame`. */
  send(frame: Buffer): void {
    if (!this.stream.closed && !this.stream.destroyed) this.stream.write(frame);
  }

  /** Says that no more messages come than this one. */
  finish(last: Buffer): void {
    if (!this.stream.closed && !this.stream.destroyed) this.stream.end(last);
  }

  cancel(): void {
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  /** The server has ended the stream; it closes once both sides have. */
  #endToo(): void {
    if (!this.stream.writableEnded) this.stream.end();
  }
}

function statusFailure(status: string, message: string | string[] | undefined): GrpcError | undefined {
  if (status === "0") return undefined;
  const code = /^\d{1,9}$/.test(status) ? Number(status) : undefined;
  if (code === undefined) return new GrpcError(grpcCodes.Unknown, `transport: malformed grpc-status: ${JSON.stringify(status)}`);
  return new GrpcError(code, percentDecoded(String(message ?? "")));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isGrpc = (headers: IncomingHttpHeaders): boolean =>
  Number(headers[":status"]) === 200 && /^application\/grpc($|[+;])/.test(headers["content-type"] ?? "");

/** @see https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md */
const codeOfHttp: Readonly<Record<number, number>> = {
  400: grpcCodes.Internal,
  401: grpcCodes.Unauthenticated,
  403: grpcCodes.PermissionDenied,
  404: grpcCodes.Unimplemented,
  429: grpcCodes.Unavailable,
  502: grpcCodes.Unavailable,
  503: grpcCodes.Unavailable,
  504: grpcCodes.Unavailable,
};

/** What answers there is no gRPC server. */
function httpFailure(headers: IncomingHttpHeaders): GrpcError {
  const status = Number(headers[":status"]);
  const type = headers["content-type"];
  const problems = [
    ...(status === 200 ? [] : [`unexpected HTTP status code received from server: ${status} (${STATUS_CODES[status] ?? ""})`]),
    type === undefined
      ? "malformed header: missing HTTP content-type"
      : `transport: received unexpected content-type ${JSON.stringify(type)}`,
  ];
  return new GrpcError(codeOfHttp[status] ?? grpcCodes.Unknown, problems.join("; "));
}

const lost = (cause: (Error & { readonly code?: string }) | undefined): GrpcError =>
  new GrpcError(grpcCodes.Unavailable, `error reading from server: ${cause?.code === "ECONNRESET" ? "connection reset by peer" : "EOF"}`, {
    cause,
  });

/** @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#errors */
const codeOfReset: Readonly<Record<number, number>> = {
  [constants.NGHTTP2_FLOW_CONTROL_ERROR]: grpcCodes.ResourceExhausted,
  [constants.NGHTTP2_REFUSED_STREAM]: grpcCodes.Unavailable,
  [constants.NGHTTP2_CANCEL]: grpcCodes.Canceled,
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: grpcCodes.ResourceExhausted,
  [constants.NGHTTP2_INADEQUATE_SECURITY]: grpcCodes.PermissionDenied,
};

/** By number. */
const resets = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

const reset = (code: number): GrpcError =>
  new GrpcError(codeOfReset[code] ?? grpcCodes.Internal, `stream terminated by RST_STREAM with error code: ${resets[code] ?? code}`);
