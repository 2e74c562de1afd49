/** Requests that come over a message port: no sockets, no TLS, and nobody but who the port is for. */
import type { MessagePort } from "node:worker_threads";
import type { ApiServer, Body, Reply } from "@coxswain/apiserver";
import { messageOf } from "@coxswain/machinery";
import type { InProcessCallers, InProcessUser } from "../in-process/in-process-callers.ts";
import { handleInProcess, headersOf } from "../in-process/in-process-request.ts";
import { BatchWriter } from "./batch-writer.ts";
import type { Batch, ClientFrame, ServerFrame } from "./frames.ts";
import { PortSink } from "./port-sink.ts";

/** For whom a port is. */
export interface PortServerOptions {
  /** Those whose authenticator the server has. */
  readonly callers: InProcessCallers;
  /** Whom the other end may be. */
  readonly isAllowed: (user: InProcessUser) => boolean;
}

/** Serves until the port is closed, from either end; then what is under way is given up as when a client hangs up. */
export function servePort(server: Pick<ApiServer, "handle">, port: MessagePort, options: PortServerOptions): Disposable {
  const served = new PortServer(server, port, options);
  port.on("message", ({ frames, bytes }: Batch<ClientFrame>) => {
    for (const frame of frames) served.receive(frame, bytes);
  });
  port.on("close", () => served.close());
  return {
    [Symbol.dispose]: () => {
      served.close();
      port.close();
    },
  };
}

type Request = Extract<ClientFrame, { kind: "request" }>;

class PortServer {
  readonly #server: Pick<ApiServer, "handle">;
  readonly #options: PortServerOptions;
  readonly #writer: BatchWriter<ServerFrame>;
  readonly #users = new Map<number, InProcessUser>();
  /** Requests under way, with the sink of an answer that has begun. */
  readonly #pending = new Map<number, PortSink | undefined>();

  constructor(server: Pick<ApiServer, "handle">, port: MessagePort, options: PortServerOptions) {
    this.#server = server;
    this.#options = options;
    this.#writer = new BatchWriter(port);
  }

  receive(frame: ClientFrame, bytes: Uint8Array): void {
    switch (frame.kind) {
      case "open":
        if (this.#options.isAllowed(frame.user)) this.#users.set(frame.session, frame.user);
        break;
      case "request":
        this.#pending.set(frame.id, undefined);
        void this.#serve(frame, frame.body === undefined ? undefined : bytes.subarray(...frame.body));
        break;
      case "read":
        this.#pending.get(frame.id)?.read(frame.bytes);
        break;
      case "cancel":
        this.#giveUp(frame.id);
    }
  }

  close(): void {
    for (const id of [...this.#pending.keys()]) this.#giveUp(id);
  }

  #giveUp(id: number): void {
    const sink = this.#pending.get(id);
    this.#pending.delete(id);
    sink?.close();
  }

  async #serve({ id, session, method, path, headers }: Request, body: Uint8Array | undefined): Promise<void> {
    const user = this.#users.get(session);
    if (user === undefined) return this.#fail(id, "the port is not for this user");
    try {
      const { callers } = this.#options;
      const reply = await handleInProcess(this.#server, { method, path, headers, body }, { user, callers });
      // The server finishes what it has begun, as it would for a client that hangs up.
      if (this.#pending.has(id)) this.#answer(id, reply);
      else discard(reply.body);
    } catch (error) {
      this.#fail(id, messageOf(error));
    }
  }

  #answer(id: number, reply: Reply): void {
    const { status, body } = reply;
    const head = { status, headers: headersOf(reply) };
    switch (body.kind) {
      case "bytes":
        this.#pending.delete(id);
        this.#writer.write({ kind: "whole", id, head, body: this.#writer.place(body.bytes) });
        break;
      case "chunks":
        this.#writer.write({ kind: "begin", id, head });
        writeChunks(body.chunks, this.#sinkFor(id));
        break;
      case "stream":
        this.#writer.write({ kind: "begin", id, head });
        void body.start(this.#sinkFor(id));
        break;
      case "tunnel":
        // Requests within the process ask for no upgrade.
        body.discard();
        this.#fail(id, "the server answers with a connection, which a port has none for");
    }
  }

  #sinkFor(id: number): PortSink {
    const sink = new PortSink(id, this.#writer, () => void this.#pending.delete(id));
    this.#pending.set(id, sink);
    return sink;
  }

  #fail(id: number, message: string): void {
    if (this.#pending.delete(id)) this.#writer.write({ kind: "failed", id, message });
  }
}

/** As fast as the other end reads, and others have their turn between two chunks. What fails now breaks the answer off. */
function writeChunks(chunks: Iterable<Uint8Array>, sink: PortSink): void {
  const iterator = chunks[Symbol.iterator]();
  sink.onClose(() => void iterator.return?.());
  const step = (): void => {
    if (sink.closed) return;
    try {
      const next = iterator.next();
      if (next.done === true) sink.end();
      else if (sink.write(next.value)) setImmediate(step);
      else void sink.drained().then(step);
    } catch {
      sink.abort();
    }
  };
  step();
}

function discard(body: Body): void {
  if (body.kind === "chunks") body.chunks[Symbol.iterator]().return?.();
  else if (body.kind !== "bytes") body.discard?.();
}
