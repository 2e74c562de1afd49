/**
 * Keeps questions about what sandboxes use apart from changes of which ones there are: containerd 1.6 does not survive both at once
 * ("concurrent map read and map write" in its store of sandboxes).
 */
export class SandboxTurns {
  #changes = 0;
  readonly #reads = new Set<Promise<unknown>>();

  /** Begins when nobody reads any more. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    this.#changes++;
    try {
      await Promise.allSettled(this.#reads);
      return await work();
    } finally {
      this.#changes--;
    }
  }

  /** Undefined while sandboxes come and go. */
  read<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.#changes > 0) return undefined;
    const reading = work().finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
    return reading;
  }
}
