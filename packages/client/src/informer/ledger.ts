/** What is open, by owner, until it is not any more. */
export class Ledger<Item> {
  readonly #items = new Map<string, readonly Item[]>();
  readonly #isOpen: (item: Item) => boolean;
  /** Owners that nobody asks about any more are looked through when there are so many. */
  #sweepAt = 1_000;

  /** What is not open once never is again. */
  constructor(isOpen: (item: Item) => boolean) {
    this.#isOpen = isOpen;
  }

  get empty(): boolean {
    return this.#items.size === 0;
  }

  open(owner: string): readonly Item[] {
    const items = this.#items.get(owner);
    if (items === undefined) return none;
    const open = items.filter(this.#isOpen);
    if (open.length < items.length) this.#set(owner, open);
    return open;
  }

  add(owner: string, items: readonly Item[]): void {
    if (items.length === 0) return;
    this.#set(owner, [...(this.#items.get(owner) ?? none), ...items]);
    if (this.#items.size < this.#sweepAt) return;
    for (const other of this.#items.keys()) this.open(other);
    this.#sweepAt = Math.max(1_000, this.#items.size * 2);
  }

  remove(owner: string, item: Item): void {
    this.#set(
      owner,
      (this.#items.get(owner) ?? none).filter((other) => other !== item),
    );
  }

  #set(owner: string, items: readonly Item[]): void {
    if (items.length === 0) this.#items.delete(owner);
    else this.#items.set(owner, items);
  }
}

const none: readonly never[] = [];
