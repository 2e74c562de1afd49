/** How much memory the bodies of requests under way may take. */

/** Bytes: of all users, and of one. */
const limits = { all: 96 * 1024 * 1024, each: 32 * 1024 * 1024 };

interface Taken {
  bytes: number;
  /** Of how many requests. */
  rooms: number;
}

/** A server has one for all of its connections. */
export class BodyMemory {
  readonly all: Taken = { bytes: 0, rooms: 0 };
  /** By the name of the user. */
  readonly each = new Map<string, Taken>();
}

/** What one request has of it. */
export class BodyRoom {
  readonly #memory: BodyMemory;
  readonly #user: string;
  readonly #own: Taken;
  #taken = 0;

  constructor(memory: BodyMemory, user: string) {
    this.#memory = memory;
    this.#user = user;
    const known = memory.each.get(user);
    this.#own = known ?? { bytes: 0, rooms: 0 };
    this.#own.rooms++;
    if (known === undefined) memory.each.set(user, this.#own);
  }

  get taken(): number {
    return this.#taken;
  }

  /** Whether there is so much more. */
  take(bytes: number): boolean {
    const { all } = this.#memory;
    if (this.#own.bytes + bytes > limits.each || all.bytes + bytes > limits.all) return false;
    this.#own.bytes += bytes;
    all.bytes += bytes;
    this.#taken += bytes;
    return true;
  }

  /** Once. */
  release(): void {
    const { all, each } = this.#memory;
    this.#own.bytes -= this.#taken;
    all.bytes -= this.#taken;
    if (--this.#own.rooms === 0) each.delete(this.#user);
  }
}
