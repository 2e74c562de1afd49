import { goQuote } from "../go-format.ts";

/**
 * What strict decoding objects to. Whether that is an error, a warning or nothing is for the caller to say
 * (fieldValidation). At most a hundred texts, each once, in the order found.
 */
export class DecodeReport {
  readonly #problems = new Set<string>();

  get problems(): readonly string[] {
    return [...this.#problems];
  }

  unknownField(path: string): void {
    this.#add("unknown field", path);
  }

  duplicateField(path: string): void {
    this.#add("duplicate field", path);
  }

  /** A problem in other words: YAML's own. */
  problem(text: string): void {
    if (this.#problems.size < 100) this.#problems.add(text);
  }

  #add(what: string, path: string): void {
    this.problem(`${what} ${goQuote(path)}`);
  }
}
