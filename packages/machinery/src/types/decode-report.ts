import { goQuote } from "../go/quote.ts";
import { type Path, strictPath } from "./path.ts";

const maxProblems = 100;
/** Of all texts together. Long keys around many unknown fields must not multiply into gigabytes. */
const maxCharacters = 1024 * 1024;

/**
 * What strict decoding objects to. Whether that is an error, a warning or nothing is for the caller to say
 * (fieldValidation). At most a hundred texts, each once, in the order found.
 */
export class DecodeReport {
  readonly #problems = new Set<string>();
  #characters = 0;

  get problems(): readonly string[] {
    return [...this.#problems];
  }

  /** `key` stands in the object at `path`. */
  unknownField(path: Path | undefined, key: string): void {
    if (!this.#full) this.problem(unknownField(path, key));
  }

  duplicateField(path: Path | undefined, key: string): void {
    if (!this.#full) this.problem(duplicateField(path, key));
  }

  /** A problem in other words: YAML's own. */
  problem(text: string): void {
    if (this.#full) return;
    this.#problems.add(text);
    this.#characters += text.length;
  }

  get #full(): boolean {
    return this.#problems.size >= maxProblems || this.#characters > maxCharacters;
  }
}

/** Returns the message of strict decoding about a field that the type lacks. */
export const unknownField = (path: Path | undefined, key: string): string => `unknown field ${goQuote(strictPath(path, key))}`;
/** Returns the message of strict decoding about a key that is repeated. */
export const duplicateField = (path: Path | undefined, key: string): string => `duplicate field ${goQuote(strictPath(path, key))}`;
