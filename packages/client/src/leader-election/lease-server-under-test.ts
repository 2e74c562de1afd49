/** Just enough of a server to hold one Lease, over a network that is late, forgetful, or hangs. */

import type { Clock } from "@coxswain/machinery";
import { alreadyExists, conflict, modifiedMessage, notFound, type RandomSource, StatusError, sleep } from "@coxswain/machinery";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../transport/transport.ts";
import type { Lease } from "./lease-record.ts";

export interface Weather {
  /** Up to so much on the way there, and again on the way back. */
  readonly delayMs: number;
  /** Of each request: lost on the way there, lost on the way back, or stuck on the way for `stuckMs`. */
  readonly lost: number;
  readonly answerLost: number;
  readonly stuck: number;
  readonly stuckMs: number;
}

export const fairWeather: Weather = { delayMs: 0, lost: 0, answerLost: 0, stuck: 0, stuckMs: 0 };

const leases = { group: "coordination.k8s.io", resource: "leases" };

export class LeaseServer {
  lease: Lease | undefined;
  /** What was asked, as `PUT a`. */
  readonly requests: string[] = [];
  readonly #clock: Clock;
  readonly #random: RandomSource;
  #version = 100;
  weather: Weather = fairWeather;

  constructor(clock: Clock, random: RandomSource) {
    this.#clock = clock;
    this.#random = random;
  }

  /** What a client writes arrives even when the client no longer waits for the answer. */
  transport(weather: () => Weather = () => this.weather): Transport {
    return {
      send: (request) => this.#unlessAborted(this.#carry(request, weather()), request.signal),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  async #carry(request: TransportRequest, { delayMs, lost, answerLost, stuck, stuckMs }: Weather): Promise<TransportResponse> {
    await this.#wait(delayMs * this.#random.next() + (this.#random.next() < stuck ? stuckMs : 0));
    if (this.#random.next() < lost) throw new ConnectionError("lost on the way");
    const answer = this.#answer(request);
    await this.#wait(delayMs * this.#random.next());
    if (this.#random.next() < answerLost) throw new ConnectionError("lost on the way back");
    return answer;
  }

  #answer(request: TransportRequest): TransportResponse {
    try {
      return jsonAnswer(200, this.#handle(request));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return jsonAnswer(error.code, error.status);
    }
  }

  #handle({ method, body }: TransportRequest): Lease {
    const sent: Lease | undefined = body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body));
    this.requests.push(method);
    if (method === "POST" && sent !== undefined) {
      if (this.lease !== undefined) throw alreadyExists(leases, "lock");
      return this.#store({ ...sent, metadata: { ...sent.metadata, uid: "lease-uid" } });
    }
    if (this.lease === undefined) throw notFound(leases, "lock");
    if (method !== "PUT" || sent === undefined) return this.lease;
    if (sent.metadata?.resourceVersion !== this.lease.metadata?.resourceVersion) throw conflict(leases, "lock", modifiedMessage);
    return this.#store(sent);
  }

  #store(lease: Lease): Lease {
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    return this.lease;
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await sleep(this.#clock, ms);
  }

  #unlessAborted<R>(promise: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
    if (signal === undefined) return promise;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      promise.then(resolve, reject).then(() => signal.removeEventListener("abort", onAbort));
    });
  }
}

function jsonAnswer(status: number, body: unknown): TransportResponse {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return {
    status,
    headers: { "content-type": "application/json" },
    bytes: async () => bytes,
    chunks: async function* () {
      yield bytes;
    },
    cancel: () => undefined,
  };
}
