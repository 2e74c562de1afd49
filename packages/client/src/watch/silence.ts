import type { Clock, Timer } from "@coxswain/machinery";
import { LinkedAbort } from "../rest/linked-abort.ts";
import { ConnectionError } from "../transport/transport.ts";

export interface SilenceOptions {
  readonly clock: Clock;
  /** Default: any silence is endured. */
  readonly longestMs?: number | undefined;
  /** Of what nothing is heard; for people. */
  readonly what: string;
  /** Told when it has lasted too long. */
  readonly onTooLong?: () => void;
}

/**
 * A signal that is aborted with its parent, and with a ConnectionError when nothing has been heard for too long: for answers
 * that may take any time as long as they get on. Its timer ends with it.
 */
export class Silence extends LinkedAbort {
  readonly #options: SilenceOptions;
  #longestMs: number | undefined;
  #heardAt: number;
  /** What has come is being dealt with: nobody listens. */
  #isBusy = false;
  #timer: Timer | undefined;

  constructor(parent: AbortSignal, options: SilenceOptions) {
    super(parent);
    this.#options = options;
    this.#heardAt = options.clock.monotonic();
    this.endureFor(options.longestMs);
    this.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Called for every chunk: one timer serves many, and sets itself again when it comes too early. */
  heard(): void {
    this.#heardAt = this.#options.clock.monotonic();
  }

  /** From now on. Undefined: for ever. */
  endureFor(longestMs: number | undefined): void {
    if (longestMs === this.#longestMs || this.signal.aborted) return;
    this.#longestMs = longestMs;
    this.#stop();
    this.#wait();
  }

  /** An answer has begun: the same chunks, each of them heard. How long the reader takes for each does not count. */
  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.heard();
    for await (const chunk of chunks) {
      this.#isBusy = true;
      yield chunk;
      this.#isBusy = false;
      this.heard();
    }
  }

  #wait(): void {
    const longestMs = this.#longestMs;
    if (longestMs === undefined) return;
    const { clock, what, onTooLong } = this.#options;
    if (this.#isBusy) this.heard();
    const leftMs = this.#heardAt + longestMs - clock.monotonic();
    if (leftMs > 0) {
      this.#timer = clock.schedule(leftMs, () => this.#wait());
      return;
    }
    onTooLong?.();
    this.abort(new ConnectionError(`nothing of ${what} has come for ${longestMs / 1000} s`));
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
