/** A queue that anything can leave from the middle: a linked list through its own members. */
export interface InLane<T> {
  before: T | undefined;
  after: T | undefined;
}

export class Lane<T extends InLane<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  push(item: T): void {
    item.before = this.#last;
    item.after = undefined;
    if (this.#last === undefined) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
    this.#size++;
  }

  /** The item must be in this lane. */
  remove(item: T): void {
    if (item.before === undefined) this.#first = item.after;
    else item.before.after = item.after;
    if (item.after === undefined) this.#last = item.before;
    else item.after.before = item.before;
    item.before = undefined;
    item.after = undefined;
    this.#size--;
  }
}
