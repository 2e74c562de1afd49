/** The values that are in use, addresses or ports: by what is stored, and by writes that are under way. */
export class AllocatedValues {
  /** The key of the stored Service that has the value. */
  readonly #stored = new Map<string, string>();
  /** How many writes that are under way rely on the value. */
  readonly #held = new Map<string, number>();
  readonly #isRecorded: (value: string) => boolean;

  /**
   * @param isRecorded whether the value is in use by what is stored of it alone: an IPAddress, or a bit. It may be that of a Service which
   *   another server is about to store
   */
  constructor(isRecorded: (value: string) => boolean = () => false) {
    this.#isRecorded = isRecorded;
  }

  store(value: string, key: string): void {
    this.#stored.set(value, key);
  }

  release(value: string, key: string): void {
    if (this.#stored.get(value) === key) this.#stored.delete(value);
  }

  /** Whether it is that of the stored Service with this key. */
  isOwn(value: string, owner: string | undefined): boolean {
    return owner !== undefined && this.#stored.get(value) === owner;
  }

  isUsed(value: string): boolean {
    return this.isTaken(value) || this.#held.has(value);
  }

  /** As `isUsed`, but for writes of this server that are under way. */
  isTaken(value: string): boolean {
    return this.#stored.has(value) || this.#isRecorded(value);
  }

  /** All that stored Services have. */
  stored(): Iterable<string> {
    return this.#stored.keys();
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
