/** How much memory the bodies of requests under way may take. */

/** Bytes: of all users, and of one. */
const limits = { all: 96 * 1024 * 1024, each: 32 * 1024 * 1024 };

/** A server has one for all of its connections. */
export class BodyMemory {
  #all = 0;
  /** By the name of the user. */
  readonly #each = new Map<string, number>();

  /** Whether there is room; it is taken then. */
  reserve(user: string, bytes: number): boolean {
    const own = (this.#each.get(user) ?? 0) + bytes;
    if (own > limits.each || this.#all + bytes > limits.all) return false;
    this.#all += bytes;
    this.#each.set(user, own);
    return true;
  }

  release(user: string, bytes: number): void {
    const own = (this.#each.get(user) ?? 0) - bytes;
    this.#all -= bytes;
    if (own > 0) this.#each.set(user, own);
    else this.#each.delete(user);
  }
}
