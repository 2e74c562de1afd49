import type { Clock, Timer } from "@coxswain/machinery";
import { LinkedAbort } from "../rest/linked-abort.ts";
import { ConnectionError } from "../rest/transport.ts";

export interface SilenceOptions {
  readonly clock: Clock;
  readonly longestMs: number;
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
  #timer: Timer | undefined;

  constructor(parent: AbortSignal, options: SilenceOptions) {
    super(parent);
    this.#options = options;
    if (this.signal.aborted) return;
    this.heard();
    this.signal.addEventListener("abort", () => this.endure(), { once: true });
  }

  heard(): void {
    const { clock, longestMs, what, onTooLong } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.schedule(longestMs, () => {
      onTooLong?.();
      this.abort(new ConnectionError(`nothing of ${what} has come for ${longestMs / 1000} s`));
    });
  }

  /** From now on silence is no bad sign. */
  endure(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** An answer has begun: the same chunks, each of them heard unless silence is endured. */
  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.heard();
    for await (const chunk of chunks) {
      if (this.#timer !== undefined) this.heard();
      yield chunk;
    }
  }
}
