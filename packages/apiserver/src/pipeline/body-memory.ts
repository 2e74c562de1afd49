/** How much memory the bodies of requests under way may take. */

/** Bytes: of all users, and of one. */
const limits = { all: 96 * 1024 * 1024, each: 32 * 1024 * 1024 };

/** What one request has of it. */
export interface BodyRoom {
  readonly taken: number;
  /** Whether there is so much more. */
  take(bytes: number): boolean;
  release(): void;
}

/** A server has one for all of its connections. */
export class BodyMemory {
  #all = 0;
  /** By the name of the user. */
  readonly #each = new Map<string, number>();

  for(user: string): BodyRoom {
    let taken = 0;
    return {
      get taken() {
        return taken;
      },
      take: (bytes) => {
        const own = (this.#each.get(user) ?? 0) + bytes;
        if (own > limits.each || this.#all + bytes > limits.all) return false;
        this.#add(user, bytes);
        taken += bytes;
        return true;
      },
      release: () => {
        this.#add(user, -taken);
        taken = 0;
      },
    };
  }

  #add(user: string, bytes: number): void {
    this.#all += bytes;
    const own = (this.#each.get(user) ?? 0) + bytes;
    if (own > 0) this.#each.set(user, own);
    else this.#each.delete(user);
  }
}
