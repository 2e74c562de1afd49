/** What is known of expressions while a tree is walked: where their values come from, and how large they may be. */
import type { SizeBounds } from "../environment/library.ts";
import { either } from "./bounds.ts";

/** From a variable down: field names, `@items`, `@indices`, `@keys` and `@values`. */
export type Path = readonly string[];

/** Of the entries of a list or map that was made within the expression. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: SizeBounds;
  readonly value: SizeBounds;
}

export interface LocalVariable {
  readonly path: Path;
  readonly size: SizeBounds | undefined;
  readonly entries: EntrySize | undefined;
}

export const eitherEntries = (a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined =>
  a && b && { container: a.container, key: either(a.key, b.key), value: either(a.value, b.value) };

/** The variables of macros; inner ones hide outer ones of the same name. */
export class Scopes {
  readonly #variables = new Map<string, LocalVariable[]>();

  find(name: string): LocalVariable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  /** Runs with the variable, and returns what that returns. */
  with<T>(name: string, variable: LocalVariable, run: () => T): T {
    const stack = this.#variables.get(name) ?? [];
    this.#variables.set(name, stack);
    stack.push(variable);
    try {
      return run();
    } finally {
      stack.pop();
    }
  }
}
