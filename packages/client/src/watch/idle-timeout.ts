import type { Clock, Timer } from "@coxswain/machinery";
import { LinkedAbort } from "../rest/linked-abort.ts";
import { ConnectionError } from "../transport/transport.ts";

export interface IdleTimeoutOptions {
  readonly clock: Clock;
  /** Default: no limit. */
  readonly maxIdleMs?: number | undefined;
  /** What is silent, for messages. */
  readonly what: string;
  /** Called when it has lasted too long. */
  readonly onTimeout?: () => void;
}

/**
 * A signal that is aborted with its parent, and with a ConnectionError when nothing has arrived for too long: for answers
 * that may take any time as long as they get on. Its timer ends with it.
 */
export class IdleTimeout extends LinkedAbort {
  readonly #options: IdleTimeoutOptions;
  #maxIdleMs: number | undefined;
  #activeAt: number;
  /** What has arrived is being processed: silence does not count. */
  #isBusy = false;
  #timer: Timer | undefined;

  constructor(parent: AbortSignal, options: IdleTimeoutOptions) {
    super(parent);
    this.#options = options;
    this.#activeAt = options.clock.monotonic();
    this.setMaxIdleMs(options.maxIdleMs);
    this.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Called for every chunk: one timer serves many, and sets itself again when it comes too early. */
  recordActivity(): void {
    this.#activeAt = this.#options.clock.monotonic();
  }

  /** From now on. Undefined: for ever. */
  setMaxIdleMs(maxIdleMs: number | undefined): void {
    if (maxIdleMs === this.#maxIdleMs || this.signal.aborted) return;
    this.#maxIdleMs = maxIdleMs;
    this.#stop();
    this.#wait();
  }

  /** An answer has begun: the same chunks, each of which restarts the timeout. How long the reader takes for each does not count. */
  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.recordActivity();
    for await (const chunk of chunks) {
      this.#isBusy = true;
      yield chunk;
      this.#isBusy = false;
      this.recordActivity();
    }
  }

  #wait(): void {
    const maxIdleMs = this.#maxIdleMs;
    if (maxIdleMs === undefined) return;
    const { clock, what, onTimeout } = this.#options;
    if (this.#isBusy) this.recordActivity();
    const leftMs = this.#activeAt + maxIdleMs - clock.monotonic();
    if (leftMs > 0) {
      this.#timer = clock.schedule(leftMs, () => this.#wait());
      return;
    }
    onTimeout?.();
    this.abort(new ConnectionError(`nothing of ${what} has come for ${maxIdleMs / 1000} s`));
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
