/** For tests: a transport whose answers the test makes up. */
import { ManualClock, type RandomSource, stringifyJson } from "@coxswain/machinery";
import { createClient } from "../client/create-client.ts";
import type { Client, ClientOptions } from "../contracts/client.ts";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../transport/transport.ts";

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown;
  /** Instead of a body. */
  readonly chunks?: (signal: AbortSignal | undefined) => AsyncIterable<Uint8Array>;
}

export type Script = (request: TransportRequest, count: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface ScriptedTransport extends Transport {
  readonly requests: TransportRequest[];
  /** How many answers are being read. */
  readonly reading: number;
  readonly disposed: boolean;
}

export function scriptedTransport(script: Script): ScriptedTransport {
  const requests: TransportRequest[] = [];
  const reading = new Set<object>();
  let disposed = false;
  return {
    requests,
    get reading() {
      return reading.size;
    },
    get disposed() {
      return disposed;
    },
    async send(request) {
      request.signal?.throwIfAborted();
      requests.push(request);
      return responseOf(await script(request, requests.length), request, reading);
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
    },
  };
}

/** A client over it, whose time passes as soon as something waits. */
export function scriptedClient(
  script: Script,
  options: Partial<ClientOptions> = {},
): { readonly client: Client; readonly transport: ScriptedTransport; readonly clock: HastyClock } {
  const transport = scriptedTransport(script);
  const clock = new HastyClock();
  return { client: createClient({ transport, clock, random: alwaysZero, ...options }), transport, clock };
}

export const alwaysZero: RandomSource = { next: () => 0, uuid: () => "00000000-0000-4000-8000-000000000000" };

/** Lets the time that is waited for pass at once; deadlines of two minutes and more never come. */
export class HastyClock extends ManualClock {
  /** What passed so. */
  readonly waits: number[] = [];

  override schedule(afterMs: number, fn: () => void) {
    const timer = super.schedule(afterMs, fn);
    if (afterMs >= 120_000) return timer;
    const hurry = setImmediate(() => {
      this.waits.push(afterMs);
      this.advance(afterMs);
    });
    return {
      unref: () => undefined,
      [Symbol.dispose]: () => {
        clearImmediate(hurry);
        timer[Symbol.dispose]();
      },
    };
  }
}

export const bytesOf = (body: unknown): Uint8Array => new TextEncoder().encode(typeof body === "string" ? body : stringifyJson(body));

/** Nothing comes any more; rejects when the signal is aborted. */
export function silence(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export const lost = (unsent = false): ConnectionError => new ConnectionError("the connection was reset", { unsent });

function responseOf(answer: ScriptedAnswer, { signal }: TransportRequest, reading: Set<object>): TransportResponse {
  const { status = 200, headers = { "content-type": "application/json" }, body = "", chunks } = answer;
  const whole = body instanceof Uint8Array ? body : bytesOf(body);
  async function* read(): AsyncGenerator<Uint8Array> {
    const token = {};
    reading.add(token);
    try {
      if (chunks === undefined) yield whole;
      else yield* chunks(signal);
    } finally {
      reading.delete(token);
    }
  }
  return { status, headers, bytes: async () => whole, chunks: read, cancel: () => undefined };
}
