/** Transports that record what goes over them, and hold requests until they are let through. */
import type { Transport, TransportRequest, TransportResponse } from "@coxswain/client";
import type { RaceExchangeRequest } from "@coxswain/machinery";

/** A request and its answer. */
export interface Recorded {
  readonly request: RaceExchangeRequest;
  readonly code: number;
  readonly answer: unknown;
}

/** Resolves before the client gets its answer. */
export type OnRecorded = (recorded: Recorded) => Promise<void>;

/** Records every request. */
export function recordingTransport(inner: Transport, onRecorded: OnRecorded): Transport {
  return { send: (request) => recorded(inner, request, onRecorded), [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose]() };
}

interface Held {
  readonly request: TransportRequest;
  /** Undefined until it is known what there was. */
  basedOn: string | undefined;
  readonly release: () => void;
}

export interface GateOptions {
  readonly holds: (request: TransportRequest) => boolean;
  readonly onRecorded: OnRecorded;
}

/** One component's way to the server: some of its requests wait, in the order in which they came, and those alone are recorded. */
export class RequestGate {
  readonly transport: Transport;
  readonly #waiting: Held[] = [];

  constructor(inner: Transport, { holds, onRecorded }: GateOptions) {
    this.transport = {
      send: async (request) => {
        if (!holds(request)) return await inner.send(request);
        await this.#wait(request);
        return await recorded(inner, request, onRecorded);
      },
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  /** The request that would go next, and the version that was there when it was made. */
  get waiting(): { readonly request: RaceExchangeRequest; readonly basedOn: string } | undefined {
    const [first] = this.#waiting;
    return first && { request: shown(first.request), basedOn: first.basedOn ?? "" };
  }

  /** Those that have begun to wait since it was called last were made of this version. */
  note(version: string): void {
    for (const held of this.#waiting) held.basedOn ??= version;
  }

  /** Lets the first one through; false when none waits. */
  release(): boolean {
    const first = this.#waiting.shift();
    first?.release();
    return first !== undefined;
  }

  async #wait(request: TransportRequest): Promise<void> {
    const { signal } = request;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const held: Held = { request, basedOn: undefined, release: resolve };
    const leave = (): void => {
      const at = this.#waiting.indexOf(held);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(signal?.reason);
    };
    this.#waiting.push(held);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}

async function recorded(inner: Transport, request: TransportRequest, onRecorded: OnRecorded): Promise<TransportResponse> {
  const response = await inner.send(request);
  const bytes = await response.bytes();
  await onRecorded({ request: shown(request), code: response.status, answer: jsonIn(bytes) });
  return {
    ...{ status: response.status, headers: response.headers },
    bytes: async () => bytes,
    async *chunks() {
      yield bytes;
    },
    cancel: () => undefined,
  };
}

function shown({ method, path, headers, body }: TransportRequest): RaceExchangeRequest {
  const contentType = headers["content-type"];
  return { method, path, ...(contentType === undefined ? {} : { contentType }), ...(body === undefined ? {} : { body: jsonIn(body) }) };
}

/** Undefined for what is none. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
