/**
 * The slow, exact way to read JSON: knows repeated keys and 64-bit integers, and explains what is wrong
 * in the words of Go's scanner, which clients see.
 */
import { goQuote } from "../go/quote.ts";
import type { DecodeReport } from "../types/decode-report.ts";
import { NumberLiteral, toDouble } from "../types/number-literal.ts";
import { entryOf, type Path } from "../types/path.ts";
import { DecodeError } from "../values/decode-error.ts";
import { mergeMember } from "./members.ts";

export type DuplicateKeys = "merge" | "last";

export interface ReadOptions {
  readonly duplicates: DuplicateKeys;
  readonly report: DecodeReport | undefined;
  /** Whether numbers that Go takes for no integer come as NumberLiteral. */
  readonly literals: boolean;
  /** Called with each member in the order of the text, and whether its key stood there before. */
  readonly onMember?: (path: Path | undefined, key: string, repeated: boolean) => void;
}

/** @throws DecodeError */
export function readJson(text: string, options: ReadOptions): unknown {
  const reader = new JsonReader(text, options);
  return reader.document();
}

/** A document worth this reader (repeated keys, long numbers) is never so deep. */
const maxDepth = 1000;
const digitsThatFit = 15;
/** A sign and 19 digits. */
const maxInteger = 20;

class JsonReader {
  readonly #text: string;
  readonly #duplicates: DuplicateKeys;
  readonly #report: DecodeReport | undefined;
  readonly #literals: boolean;
  readonly #onMember: ReadOptions["onMember"];
  #at = 0;

  constructor(text: string, { duplicates, report, literals, onMember }: ReadOptions) {
    this.#text = text;
    this.#duplicates = duplicates;
    this.#report = report;
    this.#literals = literals;
    this.#onMember = onMember;
  }

  document(): unknown {
    const value = this.#value(undefined);
    if (this.#peek() !== "") throw this.#unexpected("after top-level value");
    return value;
  }

  #value(path: Path | undefined): unknown {
    const char = this.#peek();
    switch (char) {
      case "{":
        return this.#object(path);
      case "[":
        return this.#array(path);
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
    }
    if (char === "-" || isDigit(char)) return this.#number();
    throw this.#unexpected("looking for beginning of value");
  }

  #object(path: Path | undefined): Record<string, unknown> {
    this.#enter(path);
    const object: Record<string, unknown> = {};
    if (this.#peek() === "}") return this.#leave(object);
    for (;;) {
      if (this.#peek() !== '"') throw this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      if (this.#peek() !== ":") throw this.#unexpected("after object key");
      this.#at++;
      const repeated = Object.hasOwn(object, key);
      if (repeated) this.#report?.duplicateField(path, key);
      this.#onMember?.(path, key, repeated);
      mergeMember(object, key, this.#value(entryOf(path, key)), this.#duplicates);
      const next = this.#peek();
      if (next === "}") return this.#leave(object);
      if (next !== ",") throw this.#unexpected("after object key:value pair");
      this.#at++;
    }
  }

  #array(path: Path | undefined): unknown[] {
    this.#enter(path);
    const array: unknown[] = [];
    if (this.#peek() === "]") return this.#leave(array);
    for (;;) {
      array.push(this.#value(entryOf(path, array.length)));
      const next = this.#peek();
      if (next === "]") return this.#leave(array);
      if (next !== ",") throw this.#unexpected("after array element");
      this.#at++;
    }
  }

  #enter(path: Path | undefined): void {
    if (path !== undefined && path.depth >= maxDepth) throw this.#unexpected("exceeded max depth");
    this.#at++;
  }

  #leave<T>(value: T): T {
    this.#at++;
    return value;
  }

  /** The text between quotes is left to JSON.parse; here it is only checked. Halves of characters become U+FFFD. */
  #string(): string {
    const start = this.#at++;
    for (;;) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') break;
      if (char === "\\") this.#escape();
      else if (char < " ") throw this.#unexpected("in string literal");
      else this.#at++;
    }
    return (JSON.parse(this.#text.slice(start, ++this.#at)) as string).toWellFormed();
  }

  #escape(): void {
    const char = this.#text.charAt(++this.#at);
    if (char === "" || !'bfnrt\\/"u'.includes(char)) throw this.#unexpected("in string escape code");
    this.#at++;
    if (char !== "u") return;
    for (let i = 0; i < 4; i++, this.#at++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text.charAt(this.#at))) throw this.#unexpected("in \\u hexadecimal character escape");
    }
  }

  #number(): number | bigint | NumberLiteral {
    const start = this.#at;
    if (this.#text.charAt(this.#at) === "-") this.#at++;
    if (this.#text.charAt(this.#at) === "0") this.#at++;
    else this.#digits("in numeric literal");
    let integer = true;
    if (this.#text.charAt(this.#at) === ".") {
      integer = false;
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text.charAt(this.#at))) {
      integer = false;
      this.#at++;
      if (/[-+]/.test(this.#text.charAt(this.#at))) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    const text = this.#text.slice(start, this.#at);
    const exact = integer ? exactInteger(text) : undefined;
    return exact ?? (this.#literals ? new NumberLiteral(text) : toDouble(text));
  }

  #digits(where: string): void {
    if (!isDigit(this.#text.charAt(this.#at))) throw this.#unexpected(where);
    while (isDigit(this.#text.charAt(this.#at))) this.#at++;
  }

  #word<T>(word: string, value: T): T {
    for (const char of word) {
      if (this.#text.charAt(this.#at) !== char) throw this.#unexpected(`in literal ${word} (expecting '${char}')`);
      this.#at++;
    }
    return value;
  }

  /** The next character that is no space; empty at the end. */
  #peek(): string {
    for (;;) {
      const char = this.#text.charAt(this.#at);
      if (char !== " " && char !== "\n" && char !== "\t" && char !== "\r") return char;
      this.#at++;
    }
  }

  #unexpected(where: string): DecodeError {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) {
      // At the end Go tries a space, which only these places mind.
      const mindsSpace = where.startsWith("after decimal") || (where.startsWith("in ") && where !== "in string literal");
      return new DecodeError(mindsSpace ? `invalid character ' ' ${where}` : "unexpected end of JSON input");
    }
    return new DecodeError(`invalid character ${quoteByte(firstByte(code))} ${where}`);
  }
}

/** Undefined beyond 64 bits. */
function exactInteger(text: string): number | bigint | undefined {
  const value = Number(text);
  if (text.length <= digitsThatFit || Number.isSafeInteger(value)) return value;
  if (text.length > maxInteger) return undefined;
  const exact = BigInt(text);
  return exact >= -(2n ** 63n) && exact < 2n ** 63n ? exact : undefined;
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9";

/** Go's scanner speaks of bytes. */
function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}

function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === "'") return "'\\''";
  return char === '"' ? "'\"'" : `'${goQuote(char).slice(1, -1)}'`;
}
