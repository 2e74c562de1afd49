/**
 * Writes the status of one Pod: the newest alone, one write at a time, again until it stands. Deletes the Pod once it has
 * been asked to go and has nothing left.
 */
import { type Client, compareVersions, isObjectNotFound, pods, type ResourceClient } from "@coxswain/client";
import { deepEqual, isConflict, type RandomSource, type Timer, wireTime } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { isDeleted, isTerminal } from "../pod/pod-state.ts";
import { capMessages } from "./cap-messages.ts";
import { withTimes } from "./condition-times.ts";
import { mergeStatus, statusPatch } from "./merge-status.ts";
import type { PodStatus } from "./pod-status.ts";
import { sharing } from "./sharing.ts";
import { illegalReturn } from "./status-transition.ts";

export interface StatusWriterOptions {
  readonly client: Client;
  readonly random: RandomSource;
  /** As the API has it: a static Pod's is its mirror. */
  readonly pod: Pod;
  readonly log: { warn(fields: object, message: string): void };
  readonly signal: AbortSignal;
}

/** After a write that failed: twice as long each time. */
const firstRetryMs = 1_000;
const maxRetryMs = 10_000;
/** Another client was faster. */
const conflictRetryMs = 10;
/** Another client has overwritten the status: it is not written again at once, in case that goes on for ever. */
const reconcileMs = 10_000;

export class StatusWriter {
  /** Without the Pod as it was at first, which is no longer needed. */
  readonly #options: Omit<StatusWriterOptions, "pod">;
  /** The newest that is known of the API's. */
  #base: Pod;
  #reported: PodStatus | undefined;
  #mayRun = true;
  #isFinished = false;
  #isGone = false;
  #isDirty = false;
  #writing: Promise<void> | undefined;
  #retryMs = firstRetryMs;
  #timer: Timer | undefined;

  constructor({ pod, ...options }: StatusWriterOptions) {
    this.#options = options;
    this.#base = pod;
    options.signal.addEventListener("abort", this.#stop, { once: true });
  }

  get uid(): string | undefined {
    return this.#base.metadata?.uid;
  }

  /** What was said last; what the API has when nothing has been said yet. */
  get reported(): PodStatus {
    return this.#reported ?? this.#base.status ?? {};
  }

  /** The API has the Pod no longer, as far as is known from writing to it. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Conditions get their times; what would bring a container back from its end is not said. */
  setStatus(pod: Pod, status: PodStatus): void {
    const { client, log } = this.#options;
    const before = this.reported;
    const name = illegalReturn(pod, before, status);
    if (name !== undefined)
      return void log.warn({ pod: pod.metadata?.name, container: name }, "refused to report a container as running again");
    const next = capMessages(pod, withTimes(status, before, wireTime(client.clock.now())));
    if (this.#reported !== undefined && deepEqual(this.#reported, next)) return;
    this.#reported = next;
    this.#write();
  }

  /** Nothing of the Pod runs any more. */
  markStopped(): void {
    if (!this.#mayRun) return;
    this.#mayRun = false;
    this.#write();
  }

  /** Nothing of the Pod is left on the node: whoever wants it deleted can have that. */
  finish(): void {
    this.#mayRun = false;
    this.#isFinished = true;
    this.#write();
  }

  /** What the watch brought. */
  observe(pod: Pod): void {
    if (isNewer(this.#base, pod)) return;
    const hasNewReason = isNewer(pod, this.#base);
    // The answer to a write and what the watch brings of it are the same: one copy is enough, of what was written too.
    this.#base = pod;
    if (this.#reported !== undefined) this.#reported = sharing(this.#reported, pod.status);
    if (!hasNewReason) return;
    if (this.#isFinished && isDeleted(pod)) return void this.#write();
    if (this.#reported === undefined || this.#writing !== undefined || this.#isDirty || this.#patch() === undefined) return;
    if (this.#timer === undefined) this.#schedule(reconcileMs);
  }

  [Symbol.dispose](): void {
    this.#options.signal.removeEventListener("abort", this.#stop);
    this.#stop();
  }

  /** Made for each request: kept, it would be a kilobyte of each Pod. */
  get #pods(): ResourceClient<Pod> {
    return this.#options.client.resource(pods);
  }

  readonly #stop = (): void => {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#isGone = true;
  };

  readonly #begin = (): void => {
    this.#timer = undefined;
    if (this.#isGone || this.#writing !== undefined) return;
    this.#isDirty = true;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#isDirty && !this.#isGone && this.#timer === undefined) this.#begin();
    });
  };

  /** After whatever else is said in the same moment. */
  #write(): void {
    this.#isDirty = true;
    if (!this.#isGone && this.#writing === undefined) this.#schedule(0);
  }

  #schedule(afterMs: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.client.clock.schedule(afterMs, this.#begin);
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    const { random, log, signal } = this.#options;
    try {
      while (this.#isDirty && !this.#isGone) {
        this.#isDirty = false;
        await this.#writeOnce();
        this.#retryMs = firstRetryMs;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isObjectNotFound(error, pods, this.#base.metadata?.name ?? "")) return this.#stop();
      this.#isDirty = true;
      if (isConflict(error) && (await this.#isAnother())) return this.#stop();
      const afterMs = (isConflict(error) ? conflictRetryMs : this.#retryMs) * (1 + random.next() / 2);
      this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
      log.warn({ error, pod: this.#base.metadata?.name, againInMs: afterMs }, "failed to update the status of a Pod");
      if (!this.#isGone) this.#schedule(afterMs);
    }
  }

  async #writeOnce(): Promise<void> {
    const { namespace, name = "", uid = "" } = this.#base.metadata ?? {};
    const { signal } = this.#options;
    const status = this.#patch();
    if (status !== undefined) {
      const patch = { type: "strategic", patch: { metadata: { uid }, status } } as const;
      const written = await this.#pods.patch({ namespace, name }, patch, { subresource: "status", signal });
      if (isNewer(written, this.#base)) this.#base = written;
    }
    if (!this.#isFinished || this.#isDirty || !isDeleted(this.#base) || !isTerminal(this.#base.status?.phase)) return;
    await this.#pods.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  }

  #patch(): object | undefined {
    if (this.#reported === undefined) return undefined;
    const base = this.#base.status ?? {};
    return statusPatch(base, mergeStatus(base, this.#reported, { mayRun: this.#mayRun }));
  }

  /** Whether the name is another Pod's now. Otherwise what it is now is what is written to. */
  async #isAnother(): Promise<boolean> {
    const { namespace, name = "", uid } = this.#base.metadata ?? {};
    try {
      const current = await this.#pods.get({ namespace, name }, { signal: this.#options.signal });
      if (current.metadata?.uid !== uid) return true;
      this.#base = current;
      return false;
    } catch (error) {
      return isObjectNotFound(error, pods, name);
    }
  }
}

const isNewer = (a: Pod, b: Pod): boolean => (compareVersions(a.metadata?.resourceVersion, b.metadata?.resourceVersion) ?? 1) > 0;
