/** Requests on HTTP/2 through node's stream API: its compatibility layer costs more than our whole GET. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { ClientCertificate, HttpRequest, Reply, Sink } from "../contracts/http.ts";
import { StreamedBody } from "./body.ts";
import type { ClientCertificates } from "./client-certificates.ts";
import { gzipped, inPieces } from "./compress.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import { discard } from "./exchange.ts";
import { type HeaderBag, headersOf } from "./headers.ts";
import { pump } from "./pump.ts";
import type { Serving } from "./serving.ts";
import type { StreamUse } from "./sessions.ts";

const endStream = constants.NGHTTP2_FLAG_END_STREAM;
const empty = new Uint8Array(0);

/** What a stream begins with. */
export interface ReceivedHeaders {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly flags: number;
}

/** Answers one HTTP/2 stream. Never rejects: what goes wrong is answered or ends the stream. */
export async function serveStream(
  stream: ServerHttp2Stream,
  received: ReceivedHeaders,
  serving: Serving,
  use: StreamUse | undefined,
): Promise<void> {
  stream.on("error", noop);
  const { headers, flags } = received;
  const request = new Http2Request(received, stream, serving.certificates);
  const body = (flags & endStream) !== 0 ? undefined : new StreamedBody(stream, headers["content-length"]);
  const deadline = serving.deadlines.set(() => {
    if (body?.complete !== false && serving.isLongRunning(request)) return;
    if (stream.headersSent) abort(stream);
    else refuse(stream, request, serving.timedOut(), serving);
  });
  stream.on("close", closing(deadline, body, use));
  const reply = await serving.handler(request, body ?? empty);
  if (isOver(stream)) return discard(reply);
  if (reply.body.kind === "stream") deadline.cancel();
  if (body?.complete !== false) send(stream, request, reply, serving.endings);
  else refuse(stream, request, reply, serving);
}

function noop(): void {}

/** Node keeps a stream that has ended, with what listens to it, until the next full collection of garbage: so this holds nothing of a request. */
const closing = (deadline: Deadline, body: StreamedBody | undefined, use: StreamUse | undefined) => (): void => {
  deadline.cancel();
  body?.close();
  use?.endStream();
};

const isOver = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed || stream.headersSent;

/** Answers without waiting for the rest of the request, and signals to the client that it need not send it. */
function refuse(stream: ServerHttp2Stream, request: HttpRequest, reply: Reply, { endings }: Serving): void {
  send(stream, request, reply, endings);
  stream.close(constants.NGHTTP2_NO_ERROR);
}

/** What is buffered for a client that does not read must not wait for it. Without an error, Node would report a normal end. */
const abort = (stream: ServerHttp2Stream): void => void stream.destroy(new Error("the answer is incomplete"));

class Http2Request implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly http1 = false;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly #stream: ServerHttp2Stream;
  readonly #certificates: ClientCertificates;

  constructor({ headers, rawHeaders }: ReceivedHeaders, stream: ServerHttp2Stream, certificates: ClientCertificates) {
    const target = headers[":path"] ?? "/";
    const mark = target.indexOf("?");
    this.method = headers[":method"] ?? "GET";
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? "" : target.slice(mark + 1);
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    this.#stream = stream;
    this.#certificates = certificates;
  }

  get clientCertificate(): ClientCertificate | undefined {
    return this.#certificates.of(this.#stream.session);
  }

  get isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get remoteAddress(): string {
    return this.#stream.session?.socket.remoteAddress ?? "";
  }
}

function send(stream: ServerHttp2Stream, request: HttpRequest, reply: Reply, deadlines: Deadlines): void {
  const headers: HeaderBag = headersOf(reply);
  headers[":status"] = reply.status;
  const body = inPieces(reply.body);
  switch (body.kind) {
    case "bytes": {
      const small = gzipped(request, headers, body.bytes);
      headers["content-length"] = small.byteLength;
      stream.respond(headers);
      stream.end(small);
      break;
    }
    case "chunks":
      pump(gzipped(request, headers, body.chunks), () => {
        stream.respond(headers);
        return sinkOf(stream, deadlines);
      });
      break;
    case "stream":
      // Without trailers to wait for, node would look after each write whether it was the last.
      stream.respond(headers, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({}));
      void body.start(sinkOf(stream, deadlines));
      break;
    case "tunnel":
      // HTTP/2 has no upgrades, so none is made.
      body.discard();
      abort(stream);
      break;
  }
  if (reply.closeConnection === true) stream.session?.close();
}

function sinkOf(stream: ServerHttp2Stream, deadlines: Deadlines): Sink {
  return {
    prefersFewWrites: true,
    write: (chunk) => stream.write(chunk),
    end: () => {
      if (stream.destroyed) return;
      stream.end();
      // Who does not read the end either is not waited for.
      const deadline = deadlines.set(() => abort(stream));
      stream.once("close", () => deadline.cancel());
    },
    abort: () => abort(stream),
    get buffered() {
      return stream.writableLength;
    },
    get closed() {
      return stream.destroyed || stream.closed || stream.writableEnded;
    },
    onClose: (fn) => void stream.once("close", fn),
    drained: () =>
      new Promise((resolve) => {
        const done = () => {
          stream.off("drain", done);
          stream.off("close", done);
          resolve();
        };
        stream.on("drain", done);
        stream.on("close", done);
      }),
  };
}
