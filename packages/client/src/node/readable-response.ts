/** An answer whose body is a stream of Node. */
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf } from "@coxswain/machinery";
import { ConnectionError, type TransportResponse } from "../transport/transport.ts";

export interface ReadableResponse {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly body: Readable;
  readonly signal: AbortSignal | undefined;
  /** Why the body that has ended is not whole; undefined when it is. */
  readonly brokenOff: () => Error | undefined;
  /** Lets go of the connection, or of the part of it that this answer takes. */
  readonly giveUp: () => void;
}

export function readableResponse({ status, headers, body: raw, signal, brokenOff, giveUp }: ReadableResponse): TransportResponse {
  const body = headers["content-encoding"] === "gzip" ? unzipped(raw) : raw;
  let cancelled = false;
  const leave = (): void => signal?.removeEventListener("abort", onAbort);
  const cancel = (): void => {
    leave();
    if (cancelled || raw.closed) return;
    cancelled = true;
    giveUp();
  };
  const onAbort = (): void => {
    cancel();
    body.destroy(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
  };
  // Whoever has read all of it need not wait until the connection knows.
  body.once("end", leave);
  raw.once("close", leave);
  // A body that is no longer read must not bring the process down.
  raw.on("error", () => undefined);
  body.on("error", () => undefined);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const failure = (error: unknown): unknown => (signal?.aborted ? signal.reason : asLost(error));
  return {
    status,
    headers,
    bytes: () =>
      whole(body).then(
        (bytes) => {
          const problem = ended();
          if (problem !== undefined) throw problem;
          return bytes;
        },
        (error) => {
          throw failure(error);
        },
      ),
    async *chunks() {
      try {
        for await (const chunk of body.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
        const problem = ended();
        if (problem !== undefined) throw problem;
      } catch (error) {
        throw failure(error);
      } finally {
        cancel();
      }
    },
    cancel,
  };

  function ended(): unknown {
    if (signal?.aborted) return signal.reason;
    if (cancelled) return new ConnectionError("the answer was given up");
    const problem = brokenOff();
    return problem === undefined ? undefined : asLost(problem);
  }
}

function unzipped(raw: Readable): Readable {
  const gunzip = createGunzip();
  raw.once("error", (error) => gunzip.destroy(error));
  raw.once("close", () => {
    if (!raw.readableEnded) gunzip.destroy();
  });
  return raw.pipe(gunzip);
}

/** Faster than going through the iterator, and most answers are one chunk. */
function whole(body: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let ended = false;
    body.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    body.once("end", () => {
      ended = true;
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    body.once("error", reject);
    body.once("close", () => {
      if (!ended) reject(new ConnectionError("the answer broke off"));
    });
    if (body.destroyed) reject(body.errored ?? new ConnectionError("the answer was given up"));
  });
}

function asLost(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError(`the answer broke off: ${messageOf(error)}`, { cause: error });
}
