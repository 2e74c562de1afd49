import { goQuote } from "../go/quote.ts";
import { type Path, stepsOf, strictPath } from "./path.ts";

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
  #emptied: Emptied[] | undefined;

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

  /** A list or a map was sent empty where it is null from here on. */
  emptiedField(path: Path, empty: Emptied["empty"]): void {
    this.#emptied ??= [];
    if (this.#emptied.length < maxEmptied) this.#emptied.push({ steps: stepsOf(path), empty });
  }

  /** What was sent empty and is null: no problem, but whoever sends it has sent something. */
  get emptied(): readonly Emptied[] {
    return this.#emptied ?? [];
  }

  get #full(): boolean {
    return this.#problems.size >= maxProblems || this.#characters > maxCharacters;
  }
}

/** Where a list or a map was sent empty. */
export interface Emptied {
  /** From the root of the object. */
  readonly steps: readonly (string | number)[];
  readonly empty: "list" | "map";
}

/** Objects with more are not what people write. */
const maxEmptied = 1000;

/** Returns the message of strict decoding about a field that the type lacks. */
export const unknownField = (path: Path | undefined, key: string): string => `unknown field ${goQuote(strictPath(path, key))}`;
/** Returns the message of strict decoding about a key that is repeated. */
export const duplicateField = (path: Path | undefined, key: string): string => `duplicate field ${goQuote(strictPath(path, key))}`;
