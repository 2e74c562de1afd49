import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A body that is made once and sent many times. */
export interface Document {
  readonly body: Uint8Array;
  /** The body for clients that accept gzip; made when first asked for, while others are served. */
  gzipped(): Promise<Uint8Array>;
  readonly contentType: string;
  /** A strong validator in its quotes; undefined where Kubernetes sends none. */
  readonly etag: string | undefined;
}

/** A document of these bytes; `etag` is undefined where Kubernetes sends none. */
export function createDocument(body: Uint8Array, contentType: string, etag: string | undefined): Document {
  let compressed: Promise<Uint8Array> | undefined;
  return {
    body,
    contentType,
    etag,
    gzipped() {
      compressed ??= compress(body);
      return compressed;
    },
  };
}

const compress = promisify<Uint8Array, Uint8Array>(gzip);
const encoder = new TextEncoder();

/** JSON with the newline that Kubernetes' encoder ends it with. */
export const jsonDocument = (value: unknown): Document =>
  createDocument(encoder.encode(`${JSON.stringify(value)}\n`), "application/json", undefined);

/** As Kubernetes computes validators of discovery and OpenAPI: SHA-512 in upper-case hex. */
export const contentHash = (content: string | Uint8Array): string => createHash("sha512").update(content).digest("hex").toUpperCase();

/** The same, on another thread: for what is large. */
export const contentHashAside = async (content: Uint8Array<ArrayBuffer>): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-512", content))
    .toString("hex")
    .toUpperCase();
