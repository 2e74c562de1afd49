/** The values of one range that are in use: by what is stored, and by writes that are under way. */
import type { RandomSource } from "@coxswain/machinery";

export interface Range {
  /** As error messages show it. */
  readonly text: string;
  readonly size: number;
  at(index: number): string;
  has(value: string): boolean;
}

export type Allocation = "allocated" | "already allocated" | "not in range";

const attempts = 32;

export class RangeAllocator {
  readonly range: Range;
  readonly #random: RandomSource;
  /** The key of the stored Service that has the value, or of what holds it for others. */
  readonly #stored = new Map<string, string>();
  /** How many writes that are under way rely on the value. */
  readonly #held = new Map<string, number>();

  constructor(range: Range, random: RandomSource) {
    this.range = range;
    this.#random = random;
  }

  store(value: string, key: string): void {
    this.#stored.set(value, key);
  }

  /** For what is no Service's; a Service that has the value keeps it. */
  reserve(value: string, key: string): void {
    if (!this.#stored.has(value)) this.#stored.set(value, key);
  }

  release(value: string, key: string): void {
    if (this.#stored.get(value) === key) this.#stored.delete(value);
  }

  /** Keeps the value from all others until it is disposed. @param owner the stored Service that is written */
  hold(value: string, owner: string | undefined): Disposable | Exclude<Allocation, "allocated"> {
    const isOwn = owner !== undefined && this.#stored.get(value) === owner;
    if (!isOwn && !this.range.has(value)) return "not in range";
    if (!isOwn && this.#isUsed(value)) return "already allocated";
    this.#held.set(value, (this.#held.get(value) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#letGo(value) };
  }

  /** By chance first, then, in a crowded range, one after another. */
  free(): string | undefined {
    const { size } = this.range;
    const start = Math.floor(this.#random.next() * size);
    for (let i = 0; i < attempts; i++) {
      const value = this.range.at(Math.floor(this.#random.next() * size));
      if (!this.#isUsed(value)) return value;
    }
    for (let i = 0; i < size; i++) {
      const value = this.range.at((start + i) % size);
      if (!this.#isUsed(value)) return value;
    }
    return undefined;
  }

  #isUsed(value: string): boolean {
    return this.#stored.has(value) || this.#held.has(value);
  }

  #letGo(value: string): void {
    const others = (this.#held.get(value) ?? 0) - 1;
    if (others > 0) this.#held.set(value, others);
    else this.#held.delete(value);
  }
}
