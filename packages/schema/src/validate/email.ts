/**
 * What Go's net/mail takes for one address of RFC 5322: `gopher@example.com`, `Gopher <gopher@example.com>`, a group of one.
 * @see https://pkg.go.dev/net/mail#ParseAddress
 */
import { parseIp } from "@coxswain/machinery";

export function isEmail(text: string): boolean {
  const reader = new AddressReader(text);
  return reader.addresses(true) === 1 && reader.comments() && reader.atEnd;
}

const space = /[ \t]*/y;
const dotAtom = /[^\x00-\x20\x7f()<>[\]:;@\\,".]+(?:\.[^\x00-\x20\x7f()<>[\]:;@\\,".]+)*/y;
const word = /[^\x00-\x20\x7f()<>[\]:;@\\,"]+/y;
const quoted = /"(?:[^\x00-\x08\x0a-\x1f\x7f"\\]|\\[^\x00-\x08\x0a-\x1f\x7f])*"/y;
const literal = /\[([^\x00-\x20\x7f[\]\\]*)\]/y;

class AddressReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** How many addresses were read: one, or those of a group; undefined where there is none. */
  addresses(groups: boolean): number | undefined {
    this.#take(space);
    if (this.atEnd) return undefined;
    if (this.#addressSpec()) {
      this.#take(space);
      return this.#peek() !== "(" || this.#comment() ? 1 : undefined;
    }
    if (this.#peek() !== "<" && !this.#phrase()) return undefined;
    this.#take(space);
    if (groups && this.#consume(":")) return this.#group();
    return this.#consume("<") && this.#addressSpec() && this.#consume(">") ? 1 : undefined;
  }

  /** Whether those that are there are closed. */
  comments(): boolean {
    this.#take(space);
    while (this.#peek() === "(") {
      if (!this.#comment()) return false;
      this.#take(space);
    }
    return true;
  }

  #group(): number | undefined {
    this.#take(space);
    if (this.#consume(";")) return this.comments() ? 0 : undefined;
    for (let count = 0; ; ) {
      const more = this.addresses(false);
      if (more === undefined || !this.comments()) return undefined;
      count += more;
      if (this.#consume(";")) return this.comments() ? count : undefined;
      if (!this.#consume(",")) return undefined;
    }
  }

  /** Stays where it was unless there is one. */
  #addressSpec(): boolean {
    const start = this.#at;
    this.#take(space);
    const local = this.#peek() === '"' ? this.#take(quoted) : this.#dotAtom();
    if (local !== undefined && local !== '""' && this.#consume("@")) {
      this.#take(space);
      if (this.#peek() === "[" ? this.#domainLiteral() : this.#dotAtom() !== undefined) return true;
    }
    this.#at = start;
    return false;
  }

  /** Dots may not stand at its end, which the expression would leave behind. */
  #dotAtom(): string | undefined {
    const text = this.#take(dotAtom);
    return this.#peek() === "." ? undefined : text;
  }

  #domainLiteral(): boolean {
    const text = this.#take(literal);
    return text !== undefined && parseIp(text.slice(1, -1))?.leadingZeros === false;
  }

  /** A display name; what follows its first word is not looked at closely. */
  #phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.comments()) return false;
      this.#take(space);
      if (this.atEnd) return true;
      if (this.#take(this.#peek() === '"' ? quoted : word) === undefined) return words > 0;
    }
  }

  #comment(): boolean {
    let depth = 0;
    while (!this.atEnd) {
      const char = this.#peek();
      if (char === "\\" && this.#at + 1 < this.#text.length) this.#at++;
      else if (char === "(") depth++;
      else if (char === ")") depth--;
      this.#at++;
      if (depth === 0) return true;
    }
    return false;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #consume(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match[0];
  }
}
