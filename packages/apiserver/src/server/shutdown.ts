/** The end of a server in steps: it says that it is not ready, answers what is under way, then ends watches. */
import { type Clock, sleep } from "@coxswain/machinery";
import type { Log } from "../contracts/log.ts";
import { defaultRequestTimeoutMs, type ServingOptions } from "../contracts/serving-options.ts";
import type { ControlLoops } from "./control-loops.ts";
import { closeGraceMs, type Listeners } from "./listeners.ts";

/** What requests and health checks see of it. */
export interface ShutdownState {
  stopping: boolean;
  /** Whether further requests are sent elsewhere. */
  rejecting: boolean;
}

interface ShutdownOptions {
  readonly state: ShutdownState;
  readonly serving: ServingOptions;
  readonly loops: Pick<ControlLoops, "leaveService">;
  readonly listeners: Pick<Listeners, "drain" | "stopAccepting">;
  readonly clock: Clock;
  readonly log: Log;
}

export class Shutdown {
  readonly #options: ShutdownOptions;
  #announced: Promise<void> | undefined;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /** Resolves after the delay in which everything is served as before. */
  announce(): Promise<void> {
    this.#announced ??= this.#announce();
    return this.#announced;
  }

  async #announce(): Promise<void> {
    const { state, serving, loops, clock, log } = this.#options;
    state.stopping = true;
    const delayMs = serving.shutdownDelayMs ?? 0;
    if (delayMs === 0) return;
    log.info({ delayMs }, "no longer ready; shutting down after a delay");
    await Promise.all([loops.leaveService(), sleep(clock, delayMs)]);
  }

  /** Resolves once all requests are answered but those without an end, which go on. */
  async drain(): Promise<void> {
    const { state, serving, listeners } = this.#options;
    const { requestTimeoutMs = defaultRequestTimeoutMs, shutdownDelayMs = 0, shutdownSendRetryAfter = false } = serving;
    // Who has asked for none of it wants the end soon.
    const graceMs = shutdownDelayMs > 0 || shutdownSendRetryAfter ? requestTimeoutMs : Math.min(requestTimeoutMs, closeGraceMs);
    state.rejecting = true;
    if (!shutdownSendRetryAfter) listeners.stopAccepting();
    await listeners.drain(graceMs);
    listeners.stopAccepting();
  }
}
