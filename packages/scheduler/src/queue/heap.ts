/** What is in a heap knows where: it can be moved and taken out without a search. */
export interface HeapItem {
  /** -1: in no heap. Written by the heap alone. */
  heapAt: number;
}

/** A binary heap: the first by `less` on top. An item is in one heap at most. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #less: (a: T, b: T) => boolean;

  constructor(less: (a: T, b: T) => boolean) {
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    item.heapAt = this.#items.length - 1;
    this.#rise(item);
  }

  pop(): T | undefined {
    const [item] = this.#items;
    if (item !== undefined) this.delete(item);
    return item;
  }

  /** Something has changed in the item that its place depends on. */
  moved(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  /** The item is in this heap. */
  delete(item: T): void {
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#place(last, item.heapAt);
      this.moved(last);
    }
    item.heapAt = -1;
  }

  #rise(item: T): void {
    for (;;) {
      const parent = this.#items[(item.heapAt - 1) >> 1];
      if (item.heapAt === 0 || parent === undefined || !this.#less(item, parent)) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.heapAt + 1];
      const right = this.#items[2 * item.heapAt + 2];
      const child = right !== undefined && left !== undefined && this.#less(right, left) ? right : left;
      if (child === undefined || !this.#less(child, item)) return;
      this.#swap(child, item);
    }
  }

  #swap(a: T, b: T): void {
    const at = a.heapAt;
    this.#place(a, b.heapAt);
    this.#place(b, at);
  }

  #place(item: T, at: number): void {
    this.#items[at] = item;
    item.heapAt = at;
  }
}
