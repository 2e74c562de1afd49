/** Nodes that have not been seen yet may still come: only after a while does it make sense to ask whether they exist. */
export class Quarantine {
  readonly #afterMs: number;
  readonly #since = new Map<string, number>();

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** Those that have been unknown for long enough, now that these are; `nowMs` must never go backwards. */
  due(unknown: ReadonlySet<string>, nowMs: number): readonly string[] {
    for (const name of this.#since.keys()) if (!unknown.has(name)) this.#since.delete(name);
    for (const name of unknown) if (!this.#since.has(name)) this.#since.set(name, nowMs);
    return [...this.#since].filter(([, since]) => nowMs - since >= this.#afterMs).map(([name]) => name);
  }
}
