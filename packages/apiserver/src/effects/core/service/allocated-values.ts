/** The values that are in use, addresses or ports: by what is stored, and by writes that are under way. */
export class AllocatedValues {
  /** The key of the stored Service that has the value, or of what holds it for others. */
  readonly #stored = new Map<string, string>();
  /** How many writes that are under way rely on the value. */
  readonly #held = new Map<string, number>();

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

  /** Whether it is that of the stored Service with this key. */
  isOwn(value: string, owner: string | undefined): boolean {
    return owner !== undefined && this.#stored.get(value) === owner;
  }

  isUsed(value: string): boolean {
    return this.#stored.has(value) || this.#held.has(value);
  }

  /** Keeps the value from all others until it is disposed of. */
  hold(value: string): Disposable {
    this.#held.set(value, (this.#held.get(value) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#letGo(value) };
  }

  #letGo(value: string): void {
    const others = (this.#held.get(value) ?? 0) - 1;
    if (others > 0) this.#held.set(value, others);
    else this.#held.delete(value);
  }
}
