/** An API server without sockets, in memory unless its store is elsewhere, on a clock that stands still: requests go straight into its pipeline. */

import { type ApiServer, createServer, type HttpRequest, Metrics, type Reply, type ServerOptions, type Sink } from "@coxswain/apiserver";
import { ManualClock, type RandomSource } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Revision, Store, StoreEvent } from "@coxswain/store";
import { storeUnderTest } from "../store-under-test.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly type: string;
  readonly text: string;
  readonly body: Json;
}

export interface Sent {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clientCertificate?: HttpRequest["clientCertificate"];
}

export interface Api {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly server: ApiServer;
  send(method: string, target: string, sent?: Sent): Promise<Answer>;
  /** An open watch: its events so far, and whether it has ended. */
  watch(target: string, accept?: string): Promise<Watching>;
}

export interface Watching {
  readonly status: number;
  readonly events: Json[];
  readonly ended: boolean;
  /** Lets everything that was due come through. */
  settle(): Promise<void>;
  leave(): void;
}

/** Of any key that begins so: revisions also grow by what others write where the store is. */
export const changesAfter = (store: Store, after: Revision, prefix = "/"): readonly StoreEvent[] =>
  store.events(prefix, { after, limit: 10 }).events;

/** Pods and Namespaces get the same uids and names in every run. */
export function countingRandom(): RandomSource {
  let n = 0;
  return {
    next: () => ((n++ * 7919) % 1009) / 1009,
    uuid: () => `00000000-0000-4000-8000-${(n++).toString(16).padStart(12, "0")}`,
  };
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export async function startApi(overrides: Partial<ServerOptions> = {}): Promise<Api> {
  const clock = new ManualClock();
  const store = overrides.store ?? (await storeUnderTest(clock));
  const server = await createServer({
    store,
    clock,
    random: countingRandom(),
    log: silent,
    authenticators: [() => ({ kind: "authenticated", user: { name: "tester", uid: "", groups: ["system:masters"], extra: {} } })],
    metrics: new Metrics({ startedAt: clock.now() / 1000 }),
    tls: { cert: "", key: "" },
    version: "0.0.0",
    platform: "linux/amd64",
    ...overrides,
  });
  const request = (method: string, target: string, sent: Sent): HttpRequest => {
    const [path = "", query = ""] = target.split("?", 2);
    const headers: Record<string, string> = { accept: sent.accept ?? "application/json", ...sent.headers };
    if (sent.body !== undefined) headers["content-type"] = sent.type ?? "application/json";
    return { method, path, query, headers, remoteAddress: "127.0.0.1", http1: false, clientCertificate: sent.clientCertificate };
  };
  return {
    clock,
    store,
    server,
    async send(method, target, sent = {}) {
      const reply = await server.handle(request(method, target, sent), bytesOf(sent.body));
      const text = textOf(reply);
      return { status: reply.status, headers: reply.headers ?? {}, type: reply.contentType, text, body: parsed(text) };
    },
    async watch(target, accept = "application/json") {
      const reply = await server.handle(request("GET", target, { accept }), new Uint8Array(0));
      return watching(reply);
    },
  };
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function textOf({ body }: Reply): string {
  if (body.kind === "bytes") return Buffer.from(body.bytes).toString();
  if (body.kind === "chunks") return Buffer.concat([...body.chunks]).toString();
  throw new Error("the answer is a stream");
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function watching(reply: Reply): Watching {
  if (reply.body.kind !== "stream") throw new Error(`not a watch: ${textOf(reply)}`);
  const events: Json[] = [];
  let ended = false;
  let closed = () => {};
  const sink: Sink = {
    write(chunk) {
      for (const line of Buffer.from(chunk).toString().split("\n")) if (line !== "") events.push(JSON.parse(line));
      return true;
    },
    end: () => {
      ended = true;
      closed();
    },
    abort: () => {
      ended = true;
      closed();
    },
    get buffered() {
      return 0;
    },
    get closed() {
      return ended;
    },
    onClose: (fn) => {
      const before = closed;
      closed = () => {
        before();
        fn();
      };
    },
    drained: () => Promise.resolve(),
  };
  reply.body.start(sink);
  return {
    status: reply.status,
    events,
    get ended() {
      return ended;
    },
    settle: () => quiescence({ observe: () => [events.length, ended] }),
    leave: () => {
      ended = true;
      closed();
    },
  };
}
