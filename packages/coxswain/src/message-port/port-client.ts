/** The client's end of a port: a transport for each of its users. */
import type { MessagePort } from "node:worker_threads";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "@coxswain/client";
import type { InProcessUser } from "../in-process/in-process-callers.ts";
import { collected, StreamBody } from "../in-process/stream-body.ts";
import { BatchWriter } from "./batch-writer.ts";
import type { Batch, ClientFrame, Head, ServerFrame } from "./frames.ts";

/** After so many bytes the server hears that they have been read: a part of what it writes ahead. */
const readStep = 64 * 1024;

interface Pending {
  readonly session: number;
  readonly signal: AbortSignal | undefined;
  /** No longer listens to the signal. */
  readonly leave: () => void;
  readonly resolve: (answer: TransportResponse) => void;
  readonly reject: (error: unknown) => void;
}

interface Streamed {
  readonly session: number;
  readonly stream: StreamBody;
  /** Whether the server has written all that it will. */
  isWritten: boolean;
}

const closedError = (): ConnectionError => new ConnectionError("the transport is closed");

/** Its requests are answered by the server whose port is at the other end. */
export class PortClient {
  readonly #port: MessagePort;
  readonly #writer: BatchWriter<ClientFrame>;
  /** Requests without an answer yet. */
  readonly #pending = new Map<number, Pending>();
  /** Answers that have begun and are not read yet. */
  readonly #streams = new Map<number, Streamed>();
  #sessions = 0;
  #requests = 0;
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#writer = new BatchWriter(port);
    port.on("message", ({ frames, bytes }: Batch<ServerFrame>) => {
      for (const frame of frames) this.#receive(frame, bytes);
    });
    port.on("close", () => this.#lose(new ConnectionError("the other end of the port is closed")));
  }

  /** Requests as this user; the server answers them if the port is for that one. */
  connect(user: InProcessUser): Transport {
    const session = ++this.#sessions;
    this.#writer.write({ kind: "open", session, user });
    let isClosed = false;
    return {
      send: async (request) => {
        request.signal?.throwIfAborted();
        if (isClosed || this.#isClosed) throw new ConnectionError("the transport is closed", { unsent: true });
        return await this.#send(session, request);
      },
      [Symbol.asyncDispose]: async () => {
        isClosed = true;
        this.#lose(closedError(), session);
      },
    };
  }

  /** What is under way is given up. */
  close(): void {
    this.#lose(closedError());
    this.#port.close();
  }

  #send(session: number, { method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#cancel(id, signal?.reason);
      const leave = (): void => signal?.removeEventListener("abort", onAbort);
      this.#pending.set(id, { session, signal, leave, resolve, reject });
      signal?.addEventListener("abort", onAbort);
      this.#writer.write({
        kind: "request",
        ...{ id, session, method, path, headers },
        body: body === undefined ? undefined : this.#writer.place(body),
      });
    });
  }

  #receive(frame: ServerFrame, bytes: Uint8Array): void {
    switch (frame.kind) {
      case "whole":
        this.#taken(frame.id)?.resolve(wholeAnswer(frame.head, bytes.subarray(...frame.body)));
        break;
      case "begin":
        this.#begin(frame.id, frame.head);
        break;
      case "failed":
        this.#taken(frame.id)?.reject(new ConnectionError(frame.message));
        break;
      case "chunk":
        this.#streams.get(frame.id)?.stream.sink.write(bytes.subarray(...frame.body));
        break;
      case "end":
        this.#written(frame.id)?.sink.end();
        break;
      case "broken":
        this.#written(frame.id)?.sink.abort();
    }
  }

  #begin(id: number, { status, headers }: Head): void {
    const pending = this.#taken(id);
    if (pending === undefined) return;
    const { session, signal } = pending;
    let unsaid = 0;
    const stream = new StreamBody(signal, (bytes) => {
      unsaid += bytes;
      if (unsaid < readStep) return;
      if (this.#streams.get(id)?.isWritten === false) this.#writer.write({ kind: "read", id, bytes: unsaid });
      unsaid = 0;
    });
    const streamed: Streamed = { session, stream, isWritten: false };
    this.#streams.set(id, streamed);
    stream.sink.onClose(() => {
      this.#streams.delete(id);
      if (!streamed.isWritten) this.#writer.write({ kind: "cancel", id });
    });
    pending.resolve({
      ...{ status, headers },
      bytes: () => collected(stream.chunks()),
      chunks: () => stream.chunks(),
      cancel: () => stream.cancel(),
    });
  }

  #taken(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.leave();
    return pending;
  }

  #written(id: number): StreamBody | undefined {
    const streamed = this.#streams.get(id);
    if (streamed !== undefined) streamed.isWritten = true;
    return streamed?.stream;
  }

  #cancel(id: number, reason: unknown): void {
    const pending = this.#taken(id);
    if (pending === undefined) return;
    this.#writer.write({ kind: "cancel", id });
    pending.reject(reason);
  }

  /** Of one session, or with the port. */
  #lose(error: ConnectionError, session?: number): void {
    if (session === undefined) this.#isClosed = true;
    for (const [id, pending] of [...this.#pending]) if (session === undefined || pending.session === session) this.#cancel(id, error);
    for (const one of [...this.#streams.values()]) if (session === undefined || one.session === session) one.stream.lose(error);
  }
}

const wholeAnswer = ({ status, headers }: Head, body: Uint8Array): TransportResponse => ({
  ...{ status, headers },
  bytes: async () => body,
  chunks: async function* () {
    if (body.byteLength > 0) yield body;
  },
  cancel: () => undefined,
});
