/** What all clients have together is limited, and none of them can have all of it. */

/**
 * A client may have as many as are free: one alone gets half, each of nine gets a tenth, and there is always room for one that comes
 * new, without a limit that has to be known before.
 */
export class ClientShares {
  readonly #max: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** What all clients have. */
  get total(): number {
    return this.#total;
  }

  /** False where the client may not have one more; else it has until `release`. */
  acquire(client: string): boolean {
    const held = this.#held.get(client) ?? 0;
    if (held >= this.#max - this.#total) return false;
    this.#held.set(client, held + 1);
    this.#total++;
    return true;
  }

  release(client: string): void {
    const held = this.#held.get(client);
    if (held === undefined) return;
    if (held === 1) this.#held.delete(client);
    else this.#held.set(client, held - 1);
    this.#total--;
  }
}
