/** One call on a session: its stream, and how it has ended. */
import { STATUS_CODES } from "node:http";
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import { messageFrame } from "../messages/message-frames.ts";
import type { Session } from "./session.ts";

export interface Exchange {
  readonly stream: ClientHttp2Stream;
  /** When the stream has closed: undefined where the server has said OK. */
  failure(): GrpcError | undefined;
  send(message: Uint8Array): void;
  /** Says that no more messages come than this one. */
  finish(last: Uint8Array): void;
  cancel(): void;
}

export interface ExchangeRequest {
  readonly path: string;
  readonly scheme: string;
  readonly authority: string;
  /** Further headers, among them `user-agent`; lower-case names. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** @throws GrpcError where the session has just ended */
export function openExchange({ http2, socket }: Session, { path, scheme, authority, metadata }: ExchangeRequest): Exchange {
  if (http2.closed || http2.destroyed) throw lost(undefined);
  const stream = http2.request({
    ":method": "POST",
    ":scheme": scheme,
    ":authority": authority,
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...metadata,
  });
  let headers: IncomingHttpHeaders | undefined;
  let trailers: IncomingHttpHeaders | undefined;
  let error: Error | undefined;
  stream.once("response", (received) => {
    headers = received;
  });
  stream.once("trailers", (received) => {
    trailers = received;
  });
  stream.on("error", (thrown) => {
    error = thrown;
  });
  return {
    stream,
    failure() {
      const status = trailers?.["grpc-status"] ?? headers?.["grpc-status"];
      if (status !== undefined) return statusFailure(String(status), trailers?.["grpc-message"] ?? headers?.["grpc-message"]);
      if (headers !== undefined && !isGrpc(headers)) return httpFailure(headers);
      if (socket.destroyed || http2.destroyed) return lost(error);
      const { rstCode = 0 } = stream;
      if (rstCode !== 0) return reset(rstCode);
      return new GrpcError(grpcCodes.Internal, "server closed the stream without sending trailers", { cause: error });
    },
    send(message) {
      if (!stream.closed && !stream.destroyed) stream.write(messageFrame(message));
    },
    finish(last) {
      if (!stream.closed && !stream.destroyed) stream.end(messageFrame(last));
    },
    cancel: () => stream.close(constants.NGHTTP2_CANCEL),
  };
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
