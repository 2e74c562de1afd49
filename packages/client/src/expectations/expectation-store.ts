/** What is open, by owner, until it is not any more. */
import type { Clock } from "@coxswain/machinery";

interface Entry<Item> {
  readonly item: Item;
  /** By the monotonic clock. */
  readonly since: number;
}

export class ExpectationStore<Item> {
  readonly #entries = new Map<string, readonly Entry<Item>[]>();
  readonly #clock: Clock;
  readonly #isOpen: (item: Item, ageMs: number) => boolean;
  /** Owners that are no longer used are removed when there are so many. */
  #sweepAt = 1_000;

  /** What is not open once never is again. */
  constructor(clock: Clock, isOpen: (item: Item, ageMs: number) => boolean) {
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  get empty(): boolean {
    return this.#entries.size === 0;
  }

  open(owner: string): readonly Item[] {
    const entries = this.#entries.get(owner);
    if (entries === undefined) return none;
    const now = this.#clock.monotonic();
    const open = entries.filter(({ item, since }) => this.#isOpen(item, now - since));
    if (open.length < entries.length) this.#set(owner, open);
    return open.map(({ item }) => item);
  }

  add(owner: string, items: readonly Item[]): void {
    if (items.length === 0) return;
    const since = this.#clock.monotonic();
    this.#set(owner, [...(this.#entries.get(owner) ?? none), ...items.map((item) => ({ item, since }))]);
    if (this.#entries.size < this.#sweepAt) return;
    for (const other of this.#entries.keys()) this.open(other);
    this.#sweepAt = Math.max(1_000, this.#entries.size * 2);
  }

  /** What takes the place of an item is as old as that was; nothing where it is not there any more. */
  replace(owner: string, item: Item, by: readonly Item[]): void {
    const entries = this.#entries.get(owner) ?? none;
    this.#set(
      owner,
      entries.flatMap((entry) => (entry.item === item ? by.map((next) => ({ item: next, since: entry.since })) : entry)),
    );
  }

  remove(owner: string, item: Item): void {
    this.replace(owner, item, none);
  }

  #set(owner: string, entries: readonly Entry<Item>[]): void {
    if (entries.length === 0) this.#entries.delete(owner);
    else this.#entries.set(owner, entries);
  }
}

const none: readonly never[] = [];
