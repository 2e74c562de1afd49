/** What a node says of its runtime: a restart of the runtime is none of its business, one that stays away is. */
import { type Clock, sleep } from "@coxswain/machinery";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ImageInfo, RuntimeStatus } from "../runtime/runtime-status.ts";

/** How long a runtime may be silent, as with the original kubelet. */
const silentMs = 30_000;
/** An answer that takes longer is taken into account at the next refresh. */
const maxWaitMs = 1_000;

export class RuntimeView {
  readonly #runtime: Pick<PodRuntime, "status" | "listImages">;
  readonly #clock: Clock;
  #status: RuntimeStatus | undefined;
  #images: readonly ImageInfo[] | undefined;
  #readyAt = Number.NEGATIVE_INFINITY;
  #question: Promise<unknown> | undefined;

  constructor(runtime: Pick<PodRuntime, "status" | "listImages">, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** As it last answered: a runtime that does not answer has not lost its images. */
  get images(): readonly ImageInfo[] | undefined {
    return this.#images;
  }

  /** As the Node's status has them. */
  get features(): { readonly supplementalGroupsPolicy: boolean } | undefined {
    const supplementalGroupsPolicy = this.#status?.supplementalGroupsPolicy;
    return supplementalGroupsPolicy === undefined ? undefined : { supplementalGroupsPolicy };
  }

  /** Asks, unless it is still being asked, and waits a little. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.#question ??= Promise.all([this.#askStatus(signal), this.#askImages(signal)]).finally(() => {
      this.#question = undefined;
    });
    const enough = new AbortController();
    const waited = sleep(this.#clock, maxWaitMs, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
    await Promise.race([this.#question, waited]);
    enough.abort();
  }

  /** Undefined: Pods can be given one. */
  get networkProblem(): string | undefined {
    const { networkReady, message } = this.#status ?? { networkReady: true, message: "" };
    return networkReady ? undefined : `container runtime network not ready: ${message}`;
  }

  /** For the Node's condition. */
  problems(): readonly string[] {
    const { ready, message } = this.#status ?? { ready: true, message: "" };
    const { networkProblem } = this;
    return [
      ...(this.#clock.monotonic() - this.#readyAt >= silentMs ? ["container runtime is down"] : []),
      ...(ready ? [] : [`container runtime not ready: ${message}`]),
      ...(networkProblem === undefined ? [] : [networkProblem]),
    ];
  }

  async #askStatus(signal: AbortSignal): Promise<void> {
    const status = await this.#runtime.status(signal).catch(() => undefined);
    // What was known stays, and the time when it was.
    if (status === undefined) return;
    this.#status = status;
    if (status.ready) this.#readyAt = this.#clock.monotonic();
  }

  async #askImages(signal: AbortSignal): Promise<void> {
    this.#images = await this.#runtime.listImages(signal).catch(() => this.#images);
  }
}
