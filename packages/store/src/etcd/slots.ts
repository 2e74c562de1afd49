/** Lets a number of those who come go on at once; the others wait in line. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Undefined where there is no need to wait. Whoever has a slot gives it back. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#line.push(resolve));
    this.#free--;
    return undefined;
  }

  give(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
