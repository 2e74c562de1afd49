/** gzip for long answers to clients that take it. Watches are never compressed: they would be held back. */
import { constants, crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { Body, Chunks, HttpRequest } from "../contracts/http.ts";
import { headerOf } from "./exchange.ts";
import type { HeaderBag } from "./headers.ts";

/** The size from which Kubernetes compresses. */
const worthwhileBytes = 128 * 1024;
const level = 1;

/** Compresses when it is worthwhile and accepted, and then sets the headers that say so. */
export function gzipped(request: HttpRequest, headers: HeaderBag, body: Uint8Array): Uint8Array;
export function gzipped(request: HttpRequest, headers: HeaderBag, body: Chunks): Chunks;
export function gzipped(request: HttpRequest, headers: HeaderBag, body: Uint8Array | Chunks): Uint8Array | Chunks {
  if (body instanceof Uint8Array) {
    if (body.byteLength < worthwhileBytes || headers["content-encoding"] !== undefined || !acceptsGzip(request)) return body;
    announce(headers);
    return gzipSync(body, { level });
  }
  if (!acceptsGzip(request)) return body;
  const rest = body[Symbol.iterator]();
  const first = rest.next();
  // A list comes in chunks of at least the worthwhile size; only one that is short altogether begins with less.
  if (first.done === true || first.value.byteLength < worthwhileBytes) return resumed(first, rest);
  announce(headers);
  return compressed(resumed(first, rest));
}

/** A long answer in pieces: compressing and encrypting it at once would hold up others. */
export function inPieces(body: Body): Body {
  if (body.kind !== "bytes" || body.bytes.byteLength <= 2 * pieceBytes) return body;
  return { kind: "chunks", chunks: pieces(body.bytes) };
}

const pieceBytes = 256 * 1024;

function* pieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** What was begun, from its beginning. */
function* resumed(
  first: IteratorResult<Uint8Array, void>,
  rest: Iterator<Uint8Array, void, Uint8Array | undefined>,
): Generator<Uint8Array, void, Uint8Array | undefined> {
  try {
    for (let next = first; next.done !== true; ) next = rest.next(yield next.value);
  } finally {
    rest.return?.();
  }
}

export function acceptsGzip(request: HttpRequest): boolean {
  const accepted = headerOf(request, "accept-encoding");
  return accepted?.split(",").some((part) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(part)) === true;
}

function announce(headers: HeaderBag): void {
  headers["content-encoding"] = "gzip";
  headers.vary = headers.vary === undefined ? "Accept-Encoding" : `${headers.vary}, Accept-Encoding`;
}

/**
 * One gzip member, in whose deflate stream each chunk ends at a whole byte: so each is compressed by itself, in one go. (Several members would
 * be a gzip file, too, but curl and browsers read the first one alone.)
 */
function* compressed(chunks: Chunks): Generator<Uint8Array, void, unknown> {
  const made = chunks[Symbol.iterator]();
  let checksum = 0;
  let size = 0;
  try {
    for (let next = made.next(); next.done !== true; next = made.next(next.value)) {
      const part = deflateRawSync(next.value, { level, finishFlush: constants.Z_SYNC_FLUSH });
      const isFirst = size === 0;
      checksum = crc32(next.value, checksum);
      size += next.value.byteLength;
      yield isFirst ? Buffer.concat([header, part]) : part;
    }
    yield trailer(checksum, size);
  } finally {
    made.return?.();
  }
}

/** Deflate, no name, no time, the fastest level, from whatever system. @see RFC 1952 */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);

/** The last block, which is empty, and what all of them were. */
function trailer(checksum: number, size: number): Uint8Array {
  const bytes = Buffer.alloc(10);
  bytes[0] = 3;
  bytes.writeUInt32LE(checksum, 2);
  bytes.writeUInt32LE(size % 2 ** 32, 6);
  return bytes;
}
