/**
 * Pods that are tried right now, and what has happened since the first of them was taken: an attempt that fails must not
 * miss what happened while it was made.
 */
import type { ClusterChange } from "./cluster-change.ts";

export class InFlightEvents {
  /** From which change on each Pod has missed them; the Pods in the order in which they were taken. */
  readonly #since = new Map<string, number>();
  readonly #changes: ClusterChange[] = [];
  /** How many changes were let go before the first of `#changes`. */
  #gone = 0;

  get size(): number {
    return this.#since.size;
  }

  get changes(): number {
    return this.#changes.length;
  }

  begin(uid: string): void {
    this.#since.set(uid, this.#gone + this.#changes.length);
  }

  add(change: ClusterChange): void {
    if (this.#since.size > 0) this.#changes.push(change);
  }

  has(uid: string): boolean {
    return this.#since.has(uid);
  }

  /** What has happened since the Pod was taken. */
  missedBy(uid: string): readonly ClusterChange[] {
    const since = this.#since.get(uid);
    return since === undefined ? [] : this.#changes.slice(since - this.#gone);
  }

  end(uid: string): void {
    if (!this.#since.delete(uid)) return;
    const [oldest = this.#gone + this.#changes.length] = this.#since.values();
    if (oldest === this.#gone) return;
    this.#changes.splice(0, oldest - this.#gone);
    this.#gone = oldest;
  }
}
