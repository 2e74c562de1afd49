/** WebSocket messages from server to client, and what the client says about the connection itself. @see RFC 6455 */
import { hash } from "node:crypto";

/** What a client may call messages of bytes; without a name they are the first. */
export const byteProtocols = ["binary.k8s.io", "base64.binary.k8s.io"] as const;
/** No message of bytes is longer, as with Kubernetes. */
const maxMessageBytes = 2048;

const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const finalFrame = 0x80;
const masked = 0x80;
const newline = 0x0a;

/** Proves that the server understood that it was asked for a WebSocket. */
export const acceptKey = (key: string): string => hash("sha1", `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, "base64");

/** A chunk, which holds whole events, as a frame for each of them. */
export function framed(chunk: Uint8Array, messages: "lines" | "lengths"): Uint8Array {
  const frames: Uint8Array[] = [];
  const opcode = messages === "lines" ? opcodes.text : opcodes.binary;
  const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  for (let at = 0; at < view.length; ) {
    const from = messages === "lines" ? at : at + 4;
    const to = messages === "lines" ? view.indexOf(newline, at) + 1 || view.length : from + view.readUInt32BE(at);
    frames.push(header(opcode, to - from), view.subarray(from, to));
    at = to;
  }
  return Buffer.concat(frames);
}

/** A chunk of bytes; empty, it is an empty message. */
export function framedBytes(chunk: Uint8Array, protocol: string): Uint8Array {
  const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const frames: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < view.length; at += maxMessageBytes) {
    const part = view.subarray(at, at + maxMessageBytes);
    const isText = protocol === "base64.binary.k8s.io";
    const payload = isText ? Buffer.from(part.toString("base64")) : part;
    frames.push(header(isText ? opcodes.text : opcodes.binary, payload.length), payload);
  }
  return Buffer.concat(frames);
}

function header(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([finalFrame | opcode, length]);
  const long = length > 0xffff;
  const out = Buffer.alloc(long ? 10 : 4);
  out[0] = finalFrame | opcode;
  out[1] = long ? 127 : 126;
  if (long) out.writeBigUInt64BE(BigInt(length), 2);
  else out.writeUInt16BE(length, 2);
  return out;
}

export const pong = (payload: Uint8Array): Uint8Array => Buffer.concat([header(opcodes.pong, payload.length), payload]);

/** 1000 is a normal end, 1002 a broken rule of the protocol. */
export const closeFrame = (status: 1000 | 1002): Uint8Array => Buffer.from([finalFrame | opcodes.close, 2, status >> 8, status & 0xff]);

export type Said = { readonly kind: "ping"; readonly payload: Uint8Array } | { readonly kind: "close" } | { readonly kind: "nonsense" };

/** Reads what a client sends, and discards its messages, as a watch expects none. */
export class ClientFrames {
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of a message that are still to come. */
  #skip = 0;

  read(chunk: Buffer): Said[] {
    const said: Said[] = [];
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const skipped = Math.min(this.#skip, this.#rest.length);
      this.#skip -= skipped;
      this.#rest = this.#rest.subarray(skipped);
      const next = this.#frame();
      if (next === "incomplete") return said;
      if (next !== "message") said.push(next);
      if (next !== "message" && next.kind !== "ping") return said;
    }
  }

  /** Takes one frame, or of a message its header. */
  #frame(): Said | "message" | "incomplete" {
    const [first = 0, second = 0] = this.#rest;
    const short = second & 0x7f;
    const lengthEnd = short === 126 ? 4 : short === 127 ? 10 : 2;
    const start = lengthEnd + 4;
    if (this.#rest.length < 2) return "incomplete";
    if ((second & masked) === 0) return { kind: "nonsense" };
    if (this.#rest.length < start) return "incomplete";
    const opcode = first & 0x0f;
    const length = short === 126 ? this.#rest.readUInt16BE(2) : short === 127 ? Number(this.#rest.readBigUInt64BE(2)) : short;
    if (opcode < opcodes.close) {
      this.#rest = this.#rest.subarray(start);
      this.#skip = length;
      return "message";
    }
    if (short > 125) return { kind: "nonsense" };
    if (this.#rest.length < start + length) return "incomplete";
    const mask = this.#rest.subarray(lengthEnd, start);
    const payload = this.#rest.subarray(start, start + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0));
    this.#rest = this.#rest.subarray(start + length);
    if (opcode === opcodes.close) return { kind: "close" };
    return opcode === opcodes.ping ? { kind: "ping", payload } : "message";
  }
}
