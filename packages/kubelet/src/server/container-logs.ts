/** `GET /containerLogs/{namespace}/{pod}/{container}` */
import type { ServerResponse } from "node:http";
import type { LocalPod } from "../pod/local-pods.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { errorOf, ServerError } from "./answer.ts";
import { loggedContainer } from "./find-container.ts";
import { logBytes, parseLogQuery } from "./log-lines.ts";

/** What small lines are gathered into. Bytes. */
const batchBytes = 32 * 1024;

export interface LogRequest {
  readonly local: LocalPod;
  readonly runtime: PodRuntime;
  readonly container: string;
  readonly query: URLSearchParams;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** @throws ServerError before anything is answered */
export async function serveLogs(response: ServerResponse, { local, runtime, container, query, now, signal }: LogRequest): Promise<void> {
  const wanted = parseLogQuery(query, now);
  const status = loggedContainer(local, container, wanted.previous);
  const entries = runtime.logs(status, { follow: wanted.follow, tailLines: wanted.tailLines }, signal);
  // Whoever follows wants to know at once that it has begun.
  if (wanted.follow) begin(response);
  try {
    await send(response, logBytes(entries, wanted));
  } catch (error) {
    const { message } = errorOf(error);
    if (!response.headersSent) throw new ServerError(400, message, { cause: error });
    // There is no other place left to report it.
    response.write(message);
  }
  begin(response);
  response.end();
}

function begin(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
}

/** Small lines that come together go out together. Ends early when the client is gone. */
async function send(response: ServerResponse, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  let scheduled: NodeJS.Immediate | undefined;
  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    const all = Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
    if (all.length > 0) response.write(all);
  };
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      begin(response);
      gathered.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= batchBytes) flush();
      else scheduled ??= setImmediate(flush);
      if (response.writableNeedDrain) await drained(response);
    }
  } finally {
    flush();
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
