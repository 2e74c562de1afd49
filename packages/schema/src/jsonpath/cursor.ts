/** A position in a template. Characters are code points; the end is the empty string. */
export class Cursor {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get at(): number {
    return this.#at;
  }

  get done(): boolean {
    return this.#at >= this.text.length;
  }

  peek(): string {
    const code = this.text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  next(): string {
    const char = this.peek();
    this.#at += char.length;
    return char;
  }

  /** Whether this text stood here; then it is behind the cursor. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  /** What stands before a text, or all the rest. */
  until(mark: string): string {
    const found = this.text.indexOf(mark, this.#at);
    return this.#slice(found < 0 ? this.text.length : found);
  }

  /** As long as characters pass the test. */
  while(test: (char: string) => boolean): string {
    const start = this.#at;
    while (!this.done && test(this.peek())) this.next();
    return this.text.slice(start, this.#at);
  }

  #slice(end: number): string {
    const part = this.text.slice(this.#at, end);
    this.#at = end;
    return part;
  }
}
