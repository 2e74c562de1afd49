/** What can be in one LinkedSet at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * In order of arrival. Its members carry the links, so that adding and removing one costs no memory and no hash. What has left it is
 * linked to nothing: a Set in which much comes and goes leaves tables behind that know their successors, so that one of them which
 * has grown old keeps what was in all later ones until the next collection of everything.
 */
export class LinkedSet<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  /** The oldest. */
  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  add(member: T): void {
    const last = this.#last;
    member.previous = last;
    if (last === undefined) this.#first = member;
    else last.next = member;
    this.#last = member;
    this.#size++;
  }

  /** Of one that is in it. */
  delete(member: T): void {
    const { previous, next } = member;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    member.previous = undefined;
    member.next = undefined;
    this.#size--;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let member = this.#first; member !== undefined; member = member.next) yield member;
  }
}
