/** Keeps the mirror of one static Pod in the API: the same content, created again when it is deleted, and deleted with its Pod. */
import { type Client, isObjectNotFound, pods } from "@coxswain/client";
import { isAlreadyExists, isConflict, type Timer } from "@coxswain/machinery";
import type { KubeletLog } from "../pod/log.ts";
import type { Pod } from "../pod/pod.ts";
import { isDeleted } from "../pod/pod-state.ts";
import { isMirrorOf, isMirrorPod, mirrorOf } from "../pod/source-annotations.ts";

export interface MirrorPodOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** Undefined while the node is not registered. */
  readonly nodeUid: () => string | undefined;
  readonly log: KubeletLog;
  readonly signal: AbortSignal;
  /** The mirror that stands in the API for what is wanted; undefined while there is none. */
  readonly onMirror: (mirror: Pod | undefined) => void;
  /** There is none, and none is wanted. */
  readonly onGone: () => void;
}

const retryMs = 10_000;

export class MirrorPod {
  readonly #options: MirrorPodOptions;
  /** Undefined: there shall be none. */
  #wanted: Pod | undefined;
  #seen: Pod | undefined;
  #isDirty = false;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(options: MirrorPodOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", this.#stop, { once: true });
  }

  [Symbol.dispose](): void {
    this.#options.signal.removeEventListener("abort", this.#stop);
    this.#stop();
  }

  readonly #stop = (): void => {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  };

  setStaticPod(pod: Pod | undefined): void {
    this.#wanted = pod;
    this.#announce();
    this.#work();
  }

  /** What the API has under this name. */
  observe(pod: Pod | undefined): void {
    this.#seen = pod;
    this.#announce();
    this.#work();
  }

  get idle(): Promise<void> {
    return this.#working ?? Promise.resolve();
  }

  #announce(): void {
    const isRight =
      this.#seen !== undefined && this.#wanted !== undefined && isMirrorOf(this.#seen, this.#wanted) && !isDeleted(this.#seen);
    this.#options.onMirror(isRight ? this.#seen : undefined);
  }

  #work(): void {
    this.#isDirty = true;
    if (this.#working !== undefined || this.#options.signal.aborted) return;
    this.#stop();
    this.#working = this.#workOn().finally(() => {
      this.#working = undefined;
      if (this.#isDirty && this.#timer === undefined) this.#work();
      else if (this.#wanted === undefined && this.#seen === undefined) this.#options.onGone();
    });
  }

  /** Never rejects. */
  async #workOn(): Promise<void> {
    const { client, log, signal } = this.#options;
    try {
      while (this.#isDirty && !signal.aborted) {
        this.#isDirty = false;
        await this.#reconcile();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#isDirty = false;
      log.warn({ error, pod: this.#wanted?.metadata?.name }, "failed to write the mirror of a static Pod");
      this.#timer = client.clock.schedule(retryMs, () => {
        this.#timer = undefined;
        this.#work();
      });
    }
  }

  async #reconcile(): Promise<void> {
    const { client, nodeName, nodeUid, signal } = this.#options;
    const resource = client.resource(pods);
    const [wanted, seen] = [this.#wanted, this.#seen];
    if (seen !== undefined && (wanted === undefined || !isMirrorOf(seen, wanted) || isDeleted(seen))) {
      const { namespace, name = "", uid = "" } = seen.metadata ?? {};
      const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal };
      await resource.delete({ namespace, name }, options).catch((error: unknown) => {
        if (!isObjectNotFound(error, pods, name) && !isConflict(error)) throw error;
      });
      if (this.#seen === seen) this.#seen = undefined;
    }
    if (wanted === undefined || this.#seen !== undefined) return;
    const uid = nodeUid();
    if (uid === undefined) throw new Error("the node is not registered yet");
    try {
      const made = await resource.create(mirrorOf(wanted, nodeName, uid), { signal });
      this.#seen ??= made;
      this.#announce();
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { namespace, name = "" } = wanted.metadata ?? {};
      const there = await resource.get({ namespace, name }, { signal });
      // Another client's Pod, or the mirror of another node: it is left alone until it goes.
      if (!isMirrorPod(there) || there.spec?.nodeName !== nodeName) throw error;
      // The watch is behind: it will bring what is there.
      this.#seen ??= there;
      this.#announce();
      this.#isDirty ||= !isMirrorOf(this.#seen, wanted);
    }
  }
}
