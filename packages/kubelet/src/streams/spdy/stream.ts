import { ByteQueue } from "../byte-queue.ts";
import type { Headers } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

/** One of the streams of a session; either end may open one. */
export interface SpdyStream {
  readonly id: number;
  /** Of whoever opened it. */
  readonly headers: Headers;
  /** What the peer sends, to one reader, until it ends or is reset; throws SpdyError when the connection breaks off. */
  readonly readable: AsyncIterable<Uint8Array>;
  /** Resolves when more may follow. @throws SpdyError when nothing gets there any more */
  write(chunk: Uint8Array): Promise<void>;
  /** Nothing more is written; reading goes on. Resolves once that is sent to the peer, after what was written before. */
  end(): Promise<void>;
  /** Ends both directions at once. */
  reset(): void;
}

/** What a stream asks of its session. */
export interface StreamPort {
  /** Resolves when more may follow. */
  sendData(id: number, data: Uint8Array, fin: boolean): Promise<void>;
  sendReset(id: number): void;
  /** The reader has taken so many bytes. */
  taken(stream: OpenStream, bytes: number): void;
  /** Both directions have ended. */
  over(stream: OpenStream): void;
}

/** Larger writes go out in pieces of this size, so that others come in between. Bytes. */
const maxDataBytes = 32 * 1024;

export class OpenStream implements SpdyStream {
  readonly id: number;
  readonly headers: Headers;
  readonly readable: ByteQueue;
  readonly #port: StreamPort;
  /** How much the peer lets go out; infinite as long as it speaks of no windows. */
  #window: number;
  #sent = 0;
  #localEnded = false;
  #remoteEnded = false;
  #failed: SpdyError | undefined;
  /** Wakes the write that waits for the window. */
  #unblock: () => void = () => undefined;
  #writes: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | undefined;
  /** Of what was taken, what is not yet in a WINDOW_UPDATE to the peer. */
  unacknowledged = 0;

  constructor(port: StreamPort, opened: { readonly id: number; readonly headers: Headers; readonly window: number }) {
    this.#port = port;
    this.id = opened.id;
    this.headers = opened.headers;
    this.#window = opened.window;
    this.readable = new ByteQueue((bytes) => port.taken(this, bytes));
  }

  write(chunk: Uint8Array): Promise<void> {
    if (this.#ending !== undefined) return Promise.reject(this.#failed ?? new SpdyError(`stream ${this.id} has ended`));
    const written = this.#writes.then(() => this.#write(chunk));
    this.#writes = written.catch(() => undefined);
    return written;
  }

  async #write(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.byteLength; ) {
      const room = await this.#room();
      const piece = chunk.subarray(start, start + Math.min(room, maxDataBytes));
      start += piece.byteLength;
      this.#sent += piece.byteLength;
      await this.#port.sendData(this.id, piece, false);
    }
  }

  async #room(): Promise<number> {
    for (;;) {
      if (this.#failed !== undefined) throw this.#failed;
      const room = this.#window - this.#sent;
      if (room > 0) return room;
      await new Promise<void>((resolve) => {
        this.#unblock = resolve;
      });
    }
  }

  end(): Promise<void> {
    this.#ending ??= this.#writes.then(() => this.#finish());
    return this.#ending;
  }

  async #finish(): Promise<void> {
    if (this.#localEnded) return;
    this.#localEnded = true;
    if (this.#remoteEnded) this.#port.over(this);
    await this.#port.sendData(this.id, new Uint8Array(0), true).catch(() => undefined);
  }

  reset(): void {
    if (this.#localEnded && this.#remoteEnded) return;
    this.#port.sendReset(this.id);
    this.fail(new SpdyError(`stream ${this.id} was reset`));
    this.readable.discard();
  }

  /** The peer says so, or the session has ended. */
  fail(error: SpdyError): void {
    if (this.#localEnded && this.#remoteEnded) return;
    this.#failed ??= error;
    this.#ending ??= Promise.resolve();
    this.#localEnded = true;
    this.#remoteEnded = true;
    this.readable.end(error);
    this.#unblock();
    this.#port.over(this);
  }

  /** As Kubernetes takes it: nothing more comes, and nothing gets there. */
  peerReset(): void {
    this.readable.end();
    this.fail(new SpdyError(`the peer has reset stream ${this.id}`));
  }

  received(data: Uint8Array, fin: boolean): void {
    if (this.#remoteEnded) return void this.#port.taken(this, data.byteLength);
    this.readable.push(data);
    if (fin) this.remoteEnd();
  }

  remoteEnd(): void {
    this.#remoteEnded = true;
    this.readable.end();
    if (this.#localEnded) this.#port.over(this);
  }

  get remoteEnded(): boolean {
    return this.#remoteEnded;
  }

  /** From now on, in all. */
  setWindow(bytes: number): void {
    this.#window = bytes;
    this.#unblock();
  }

  widen(bytes: number): void {
    this.setWindow(this.#window + bytes);
  }
}
