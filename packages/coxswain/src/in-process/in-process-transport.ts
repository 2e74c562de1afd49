/** Requests straight into a server of the same process: no sockets, no TLS, nothing copied. */
import type { ApiServer, Reply } from "@coxswain/apiserver";
import { ConnectionError, type Transport, type TransportResponse } from "@coxswain/client";
import { handleInProcess, headersOf, type InProcessCaller } from "./in-process-request.ts";
import { collected, StreamBody } from "./stream-body.ts";

/** The user that requests are made as, and the handler that the server passes them to. */
export interface InProcessOptions extends InProcessCaller {
  /** Called with the work that every request makes until its answer begins. */
  readonly onWork?: (work: Promise<unknown>) => void;
}

/** The bytes of an answer may be the stored ones: they are to be read, never changed. */
export function inProcessTransport(server: Pick<ApiServer, "handle">, options: InProcessOptions): Transport {
  const closed = new AbortController();
  const streams = new Set<StreamBody>();
  return {
    async send(request) {
      request.signal?.throwIfAborted();
      if (closed.signal.aborted) throw new ConnectionError("the transport is closed", { unsent: true });
      const work = handleInProcess(server, request, options);
      options.onWork?.(work);
      const reply = await unlessAborted(work, request.signal, closed.signal);
      return responseOf(reply, request.signal, streams);
    },
    async [Symbol.asyncDispose]() {
      closed.abort(new ConnectionError("the transport is closed"));
      for (const stream of [...streams]) stream.lose(new ConnectionError("the transport is closed"));
    },
  };
}

/** The server finishes what it has begun, as it would for a client that hangs up. */
function unlessAborted(work: Promise<Reply>, ...signals: readonly (AbortSignal | undefined)[]): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const present = signals.filter((signal) => signal !== undefined);
    const leave = (): void => {
      for (const signal of present) signal.removeEventListener("abort", onAbort);
    };
    const onAbort = (event: Event): void => {
      leave();
      reject(event.target instanceof AbortSignal ? event.target.reason : event);
    };
    for (const signal of present) signal.addEventListener("abort", onAbort);
    work.then(resolve, reject).finally(leave);
  });
}

function responseOf(reply: Reply, signal: AbortSignal | undefined, streams: Set<StreamBody>): TransportResponse {
  const { status, body } = reply;
  const headers = headersOf(reply);
  switch (body.kind) {
    case "bytes":
      return { status, headers, bytes: async () => body.bytes, chunks: () => once(body.bytes), cancel: () => undefined };
    case "chunks":
      return { status, headers, bytes: () => collected(made(body.chunks)), chunks: () => made(body.chunks), cancel: () => undefined };
    case "stream": {
      const stream = new StreamBody(signal);
      streams.add(stream);
      stream.sink.onClose(() => void streams.delete(stream));
      body.start(stream.sink);
      return {
        status,
        headers,
        bytes: () => collected(stream.chunks()),
        chunks: () => stream.chunks(),
        cancel: () => stream.cancel(),
      };
    }
    case "tunnel":
      // Requests within the process ask for no upgrade.
      body.discard();
      throw new ConnectionError("the server answers with a connection, which this transport has none for");
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.byteLength > 0) yield bytes;
}

/** As the reader asks for it. What fails now has begun already: the answer breaks off. */
async function* made(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
  } catch (cause) {
    throw new ConnectionError("the answer broke off", { cause });
  }
}
