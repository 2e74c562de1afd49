import { flagFin, headBytes } from "./frames.ts";
import { SpdyError } from "./spdy-error.ts";

/** Data come in the pieces in which they arrive: a frame may have 16 MiB. */
export type Frame =
  | { readonly kind: "data"; readonly id: number; readonly data: Uint8Array; readonly fin: boolean }
  | { readonly kind: "control"; readonly type: number; readonly flags: number; readonly payload: Buffer };

/** Control frames have little to say; those with packed headers the most. Bytes. */
const maxControlBytes = 64 * 1024;
const version = 3;

/** Cuts what arrives into frames, and keeps no more than one control frame. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  /** The data frame that is being read. */
  #data: { readonly id: number; readonly fin: boolean; left: number } | undefined;

  /** @throws SpdyError after the frames before the broken one */
  *read(chunk: Buffer): Generator<Frame, void, undefined> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    if (this.#data !== undefined) return this.#dataPiece(this.#data);
    if (this.#rest.length < headBytes) return undefined;
    const first = this.#rest.readUInt32BE(0);
    const flags = this.#rest[4] ?? 0;
    const length = this.#rest.readUIntBE(5, 3);
    if (first < 0x80000000) {
      this.#take(headBytes);
      this.#data = { id: first, fin: (flags & flagFin) !== 0, left: length };
      return this.#dataPiece(this.#data);
    }
    if (((first >>> 16) & 0x7fff) !== version) throw new SpdyError("a frame of another version");
    if (length > maxControlBytes) throw new SpdyError(`a control frame of ${length} bytes`);
    if (this.#rest.length < headBytes + length) return undefined;
    this.#take(headBytes);
    return { kind: "control", type: first & 0xffff, flags, payload: this.#take(length) };
  }

  #dataPiece(frame: { readonly id: number; readonly fin: boolean; left: number }): Frame | undefined {
    if (frame.left > 0 && this.#rest.length === 0) return undefined;
    const data = this.#take(Math.min(frame.left, this.#rest.length));
    frame.left -= data.length;
    if (frame.left === 0) this.#data = undefined;
    return { kind: "data", id: frame.id, data, fin: frame.fin && frame.left === 0 };
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
