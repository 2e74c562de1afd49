/** Sits between a watch and its reader, and meddles event by event. */
import { ConnectionError, type TransportResponse } from "@coxswain/client";
import { type Clock, expired, type Timer } from "@coxswain/machinery";
import { collected, StreamBody } from "../../in-process/stream-body.ts";
import type { FaultScript, WatchFault } from "./fault-script.ts";
import type { SeenRequest } from "./seen-request.ts";

export interface TapOptions {
  readonly script: FaultScript;
  readonly clock: Clock;
  readonly seen: SeenRequest;
  readonly faults: readonly WatchFault[];
  /** Called with each fault that happens. */
  readonly fire: (fault: WatchFault, afterEvents: number) => void;
  readonly signal: AbortSignal | undefined;
}

export function tapWatch(answer: TransportResponse, options: TapOptions): TransportResponse {
  const tap = new WatchTap(answer, options);
  void tap.run();
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: () => collected(tap.body.chunks()),
    chunks: () => tap.body.chunks(),
    cancel: () => tap.body.cancel(),
  };
}

class WatchTap {
  readonly body: StreamBody;
  readonly #answer: TransportResponse;
  readonly #options: TapOptions;
  readonly #timers = new Set<Timer>();
  /** What comes late, in order: one for each timer. */
  readonly #held: (() => void)[] = [];
  /** Those that have not happened yet. */
  readonly #pending: Set<WatchFault>;
  #events = 0;
  #stalled = false;
  #delayMs = 0;
  /** When the last of what is held back is due; monotonic. */
  #lastDue = Number.NEGATIVE_INFINITY;

  constructor(answer: TransportResponse, options: TapOptions) {
    this.#answer = answer;
    this.#options = options;
    this.#pending = new Set(options.faults);
    this.body = new StreamBody(options.signal);
    const open = options.script.watching(options.seen, (fault) => this.#strike(fault));
    this.body.sink.onClose(() => {
      open[Symbol.dispose]();
      for (const timer of this.#timers) timer[Symbol.dispose]();
      answer.cancel();
    });
  }

  async run(): Promise<void> {
    const { sink } = this.body;
    for (const fault of this.#pending) {
      // What delays, delays all; and that the history is gone a server knows before the first event.
      const atOnce = fault.kind === "delay-events" || (fault.kind === "expired" && (fault.afterEvents ?? 0) === 0);
      if (atOnce) this.#strike(fault);
    }
    try {
      for await (const event of eventsOf(this.#answer)) {
        this.#meddle();
        if (sink.closed) return;
        if (this.#stalled) continue;
        this.#events++;
        this.#inOrder(() => void sink.write(event));
        if (!sink.closed && sink.buffered > 0) await sink.drained();
      }
      if (!this.#stalled) this.#inOrder(() => sink.end());
    } catch (error) {
      if (!this.#stalled) this.#inOrder(() => this.body.lose(error));
    }
  }

  /** An event is about to be passed on. */
  #meddle(): void {
    const { script, seen } = this.#options;
    for (const fault of script.faultsOfEvent(seen, this.#events + 1)) this.#strike(fault);
    for (const fault of this.#pending) {
      if (fault.kind !== "delay-events" && this.#events >= (fault.afterEvents ?? 0)) this.#strike(fault);
    }
  }

  #strike(fault: WatchFault): void {
    const { sink } = this.body;
    this.#pending.delete(fault);
    if (sink.closed || this.#stalled) return;
    this.#options.fire(fault, this.#events);
    switch (fault.kind) {
      case "drop-watch":
        this.body.lose(new ConnectionError("the connection was lost"));
        break;
      case "stall-watch":
        this.#stalled = true;
        break;
      case "end-watch":
        sink.end();
        break;
      case "delay-events":
        this.#delayMs = fault.ms;
        break;
      case "expired":
        sink.write(Buffer.from(`${JSON.stringify({ type: "ERROR", object: gone(this.#options.seen) })}\n`));
        sink.end();
    }
  }

  /** At once, or as late as events come now, but never before what came earlier. */
  #inOrder(pass: () => void): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const due = Math.max(now + this.#delayMs, this.#lastDue);
    if (due <= now && this.#timers.size === 0) {
      pass();
      return;
    }
    this.#lastDue = due;
    this.#held.push(pass);
    const timer = clock.schedule(due - now, () => {
      this.#timers.delete(timer);
      // Of two timers of the same time, rounded down, the later may be first.
      this.#held.shift()?.();
    });
    this.#timers.add(timer);
  }
}

const gone = ({ resourceVersion = "0" }: SeenRequest) =>
  expired(`too old resource version: ${resourceVersion} (${Number(resourceVersion) + 1})`).status;

/** Of a watch in JSON each event is a line; in any other form each is what the server wrote at a time. */
async function* eventsOf(answer: TransportResponse): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = answer.headers["content-type"]?.startsWith("application/json") === true;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of answer.chunks()) {
    if (!lines) {
      yield chunk;
      continue;
    }
    const text: Uint8Array = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = text.indexOf(newline); end >= 0; end = text.indexOf(newline, from)) {
      yield text.subarray(from, end + 1);
      from = end + 1;
    }
    rest = text.subarray(from);
  }
  if (rest.byteLength > 0) yield rest;
}

const newline = 0x0a;
