/**
 * SPDY/3.1 as Kubernetes uses it: many streams over one connection. Its usual peer, moby/spdystream, knows no windows: there
 * the connection itself waits while too much is unread. A peer that speaks of windows gets one for each stream.
 */
import type { Duplex } from "node:stream";
import { type Frame, FrameReader } from "./frame-reader.ts";
import * as frames from "./frames.ts";
import { HeaderPacker, type Headers, HeaderUnpacker } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";
import { OpenStream, type SpdyStream, type StreamPort } from "./stream.ts";

export interface SpdySessionOptions {
  readonly connection: Duplex;
  /** What came with the end of the handshake. */
  readonly head?: Uint8Array;
  readonly side: "client" | "server";
  /** A stream that the peer has opened. Without it none may be. */
  readonly onStream?: (stream: SpdyStream) => void;
}

/** Open at a time, by the peer. */
const maxStreams = 1_000;
/** Of all streams, before the connection waits. Bytes. */
const maxUnreadBytes = 4 * 1024 * 1024;
/** What may wait for a peer that does not read. Bytes. */
const maxUnsentBytes = 1024 * 1024;
/** What a stream may send ahead of its reader, where the peer knows of windows. Bytes. */
const windowBytes = 256 * 1024;

export class SpdySession implements Disposable {
  /** Resolves with the connection's end. */
  readonly closed: Promise<void>;
  readonly #connection: Duplex;
  readonly #onStream: ((stream: SpdyStream) => void) | undefined;
  readonly #reader = new FrameReader();
  readonly #packer = new HeaderPacker();
  readonly #unpacker = new HeaderUnpacker();
  readonly #streams = new Map<number, OpenStream>();
  readonly #port: StreamPort;
  readonly #ownParity: 0 | 1;
  #nextId: number;
  #lastPeerId = 0;
  #unread = 0;
  /** Undefined until the peer speaks of windows. */
  #peerWindow: number | undefined;
  #drained: Promise<void> | undefined;
  #ended: SpdyError | undefined;
  #goingAway = false;

  constructor({ connection, head, side, onStream }: SpdySessionOptions) {
    this.#connection = connection;
    this.#onStream = onStream;
    this.#ownParity = side === "client" ? 1 : 0;
    this.#nextId = side === "client" ? 1 : 2;
    this.#port = {
      sendData: (id, data, fin) => this.#send(frames.dataFrame(id, data, fin)),
      sendReset: (id) => void this.#reset(id, frames.resetCodes.cancel),
      taken: (stream, bytes) => this.#taken(stream, bytes),
      over: ({ id }) => this.#streams.delete(id),
    };
    this.closed = new Promise((resolve) => connection.once("close", resolve));
    connection.on("error", (error) => this.#finish(new SpdyError("the connection failed", { cause: error })));
    connection.once("end", () => this.#finish(new SpdyError("the connection ended")));
    connection.once("close", () => this.#finish(new SpdyError("the connection closed")));
    this.#write(frames.windowSetting(windowBytes));
    connection.on("data", (chunk: Buffer) => this.#read(chunk));
    if (head !== undefined && head.byteLength > 0) this.#read(Buffer.from(head));
  }

  /** @throws SpdyError when the session has ended */
  open(headers: Headers, { fin = false }: { readonly fin?: boolean } = {}): SpdyStream {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#goingAway || this.#nextId > frames.maxStreamId) throw new SpdyError("no more streams can be opened");
    const stream = this.#add(this.#nextId, headers);
    this.#nextId += 2;
    this.#write(frames.synStream(stream.id, this.#packer.pack(headers), fin));
    return stream;
  }

  /** Sends what was written, signals to the peer that nothing follows, and lets the peer close the connection. */
  async end(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#goingAway = true;
    await Promise.all([...this.#streams.values()].map((stream) => stream.end()));
    this.#write(frames.goAway(this.#lastPeerId, false));
    this.#connection.end();
  }

  /** Hangs up at once. */
  [Symbol.dispose](): void {
    this.#finish(new SpdyError("the session was closed"));
  }

  #add(id: number, headers: Headers): OpenStream {
    const stream = new OpenStream(this.#port, { id, headers, window: this.#peerWindow ?? Number.POSITIVE_INFINITY });
    this.#streams.set(id, stream);
    return stream;
  }

  #read(chunk: Buffer): void {
    if (this.#ended !== undefined) return;
    try {
      for (const frame of this.#reader.read(chunk)) this.#receive(frame);
    } catch (error) {
      if (!(error instanceof SpdyError)) throw error;
      this.#write(frames.goAway(this.#lastPeerId, true));
      this.#finish(error);
    }
  }

  #receive(frame: Frame): void {
    if (frame.kind === "data") return void this.#data(frame);
    const { type, flags, payload } = frame;
    switch (type) {
      case frames.frameTypes.synStream:
        return void this.#opened(idIn(payload, 10), this.#unpacker.unpack(payload.subarray(10)), flags);
      case frames.frameTypes.synReply:
      case frames.frameTypes.headers: {
        // These headers are not used, but later ones are compressed with them.
        this.#unpacker.unpack(payload.subarray(4));
        if ((flags & frames.flagFin) !== 0) this.#streams.get(idIn(payload, 4))?.remoteEnd();
        return;
      }
      case frames.frameTypes.rstStream:
        return void this.#streams.get(idIn(payload, 8))?.peerReset();
      case frames.frameTypes.ping: {
        const id = idIn(payload, 4);
        if (id % 2 !== this.#ownParity) this.#answer(frames.ping(id));
        return;
      }
      case frames.frameTypes.goAway:
        this.#goingAway = true;
        return;
      case frames.frameTypes.settings:
        return void this.#useWindow(frames.windowIn(payload));
      case frames.frameTypes.windowUpdate:
        return void this.#widen(idIn(payload, 8), payload.readUInt32BE(4) & frames.maxStreamId);
    }
  }

  #opened(id: number, headers: Headers, flags: number): void {
    if (id % 2 === this.#ownParity || id <= this.#lastPeerId) throw new SpdyError(`the peer may not open stream ${id}`);
    this.#lastPeerId = id;
    if (this.#onStream === undefined || this.#streams.size >= maxStreams) return void this.#reset(id, frames.resetCodes.refusedStream);
    const stream = this.#add(id, headers);
    this.#answer(frames.synReply(id, this.#packer.pack({})));
    if ((flags & frames.flagUnidirectional) !== 0) void stream.end();
    if ((flags & frames.flagFin) !== 0) stream.remoteEnd();
    this.#onStream(stream);
  }

  #data({ id, data, fin }: Frame & { kind: "data" }): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      // What was on its way when the stream ended is no offence, what never had one is.
      const known = id % 2 === this.#ownParity ? id < this.#nextId : id <= this.#lastPeerId;
      if (!known) this.#reset(id, frames.resetCodes.invalidStream);
      return;
    }
    this.#unread += data.byteLength;
    stream.received(data, fin);
    if (this.#peerWindow !== undefined && stream.readable.unreadBytes > windowBytes + frames.defaultWindowBytes) {
      this.#reset(id, frames.resetCodes.flowControlError);
      stream.fail(new SpdyError("the peer sends more than it may"));
      stream.readable.discard();
    }
    if (this.#unread > maxUnreadBytes) this.#connection.pause();
  }

  #taken(stream: OpenStream, bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread <= maxUnreadBytes / 2 && this.#connection.isPaused()) this.#connection.resume();
    stream.unacknowledged += bytes;
    if (this.#peerWindow === undefined || stream.remoteEnded || stream.unacknowledged < windowBytes / 4) return;
    this.#write(frames.windowUpdate(stream.id, stream.unacknowledged));
    stream.unacknowledged = 0;
  }

  /** Of all streams, those that are open too. */
  #useWindow(bytes: number | undefined): void {
    if (bytes === undefined) return;
    if (bytes > frames.maxStreamId) throw new SpdyError("a window that is too large");
    const before = this.#peerWindow;
    this.#peerWindow = bytes;
    for (const stream of this.#streams.values()) {
      if (before === undefined) stream.setWindow(bytes);
      else stream.widen(bytes - before);
    }
  }

  #widen(id: number, bytes: number): void {
    if (this.#peerWindow === undefined) this.#useWindow(frames.defaultWindowBytes);
    this.#streams.get(id)?.widen(bytes);
  }

  #reset(id: number, code: frames.ResetCode): void {
    this.#answer(frames.rstStream(id, code));
  }

  /** Whoever asks and does not read the answers is not answered for ever. */
  #answer(frame: Uint8Array): void {
    this.#write(frame);
    if (this.#connection.writableLength > maxUnsentBytes) this.#finish(new SpdyError("the peer does not read"));
  }

  /** Resolves when more may follow. @throws SpdyError */
  async #send(frame: Uint8Array): Promise<void> {
    while (this.#drained !== undefined) await this.#drained;
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#write(frame)) return;
    this.#drained = new Promise((resolve) => {
      const done = (): void => {
        this.#connection.off("drain", done).off("close", done);
        this.#drained = undefined;
        resolve();
      };
      this.#connection.on("drain", done).on("close", done);
    });
    await this.#drained;
  }

  #write(frame: Uint8Array): boolean {
    return this.#connection.writable && this.#connection.write(frame);
  }

  #finish(error: SpdyError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    for (const stream of [...this.#streams.values()]) stream.fail(error);
    this.#connection.destroy();
  }
}

/** @throws SpdyError for a frame that is too short for what it says */
function idIn(payload: Buffer, least: number): number {
  if (payload.length < least) throw new SpdyError("a frame that is too short");
  return payload.readUInt32BE(0) & frames.maxStreamId;
}
