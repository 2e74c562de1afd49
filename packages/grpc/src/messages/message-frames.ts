/**
 * Messages as a stream's bytes: each behind a byte that says whether it is compressed, and four bytes of its length.
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";

const headerLength = 5;

/** A message as it is sent, never compressed. */
export function messageFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerLength + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, headerLength);
  return frame;
}

/** Puts together what comes in pieces. */
export class MessageFrames {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Of what is needed to go on. */
  #wanted = headerLength;

  /** @param maxBytes what a message may have */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a message has begun and not ended. */
  get isPartial(): boolean {
    return this.#size > 0;
  }

  /** The messages that are whole with this piece. @throws GrpcError for one that is too large or compressed */
  push(piece: Buffer): Buffer[] {
    const whole: Buffer[] = [];
    let bytes = piece;
    if (this.#size > 0) {
      this.#pieces.push(piece);
      this.#size += piece.length;
      if (this.#size < this.#wanted) return whole;
      bytes = Buffer.concat(this.#pieces);
    }
    let at = 0;
    let end = headerLength;
    for (; at + end <= bytes.length; end = headerLength) {
      end = headerLength + this.#lengthIn(bytes, at);
      if (at + end > bytes.length) break;
      whole.push(bytes.subarray(at + headerLength, at + end));
      at += end;
    }
    this.#wanted = end;
    this.#size = bytes.length - at;
    this.#pieces = this.#size === 0 ? [] : [bytes.subarray(at)];
    return whole;
  }

  #lengthIn(bytes: Buffer, at: number): number {
    const form = bytes[at];
    if (form === 1) throw new GrpcError(grpcCodes.Internal, 'grpc: Compressor is not installed for requested grpc-encoding ""');
    if (form !== 0) throw new GrpcError(grpcCodes.Internal, `grpc: received unexpected payload format ${form}`);
    const length = bytes.readUInt32BE(at + 1);
    if (length <= this.#maxBytes) return length;
    throw new GrpcError(grpcCodes.ResourceExhausted, `grpc: received message larger than max (${length} vs. ${this.#maxBytes})`);
  }
}
