/** What containers print. */
import type { Client, Target } from "../contracts/client.ts";
import type { Cancellable } from "../transport/cancellable.ts";
import { podPath } from "./pod-path.ts";

/** Options of `podLogs` and `podLogChunks`: which container, and which part of its log. */
export interface LogOptions extends Cancellable {
  /** Default: the only one. */
  readonly container?: string;
  /** Goes on until the container ends. */
  readonly follow?: boolean;
  /** Of the container before the last restart. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  /** Begins each line with when it was printed. */
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  /** The server stops after so much, in the middle of a line if need be. */
  readonly limitBytes?: number;
  /** One of the two alone. Default: both, and servers before Kubernetes 1.32 know nothing else. */
  readonly stream?: "Stdout" | "Stderr";
}

/** A line that is longer comes in pieces; characters. */
const maxLineLength = 1024 * 1024;

/** As it comes. @throws StatusError when the server refuses, ConnectionError when it breaks off */
export async function* podLogChunks(client: Client, target: Target, opts: LogOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, ...query } = opts;
  const path = podPath(client, target, "log", { ...query });
  const answer = await client.request({ method: "GET", path, headers: { accept: "text/plain, */*" }, signal });
  yield* answer.chunks();
}

/** Line by line, without the line breaks. @throws StatusError when the server refuses, ConnectionError when it breaks off */
export async function* podLogs(client: Client, target: Target, opts: LogOptions = {}): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of podLogChunks(client, target, opts)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    for (; rest.length > maxLineLength; rest = rest.slice(maxLineLength)) yield rest.slice(0, maxLineLength);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
