/** What a shell knows by name, and what becomes of words that name it. */
import type { SimulatedContainer } from "../script.ts";
import type { Word } from "./parse.ts";

export class Variables {
  readonly #values: Map<string, string>;
  readonly #exported: Set<string>;
  positional: readonly string[] = [];
  /** Of the last command. */
  status = 0;

  constructor(env: SimulatedContainer["env"]) {
    this.#values = new Map(env.map(({ name, value }) => [name, value]));
    this.#exported = new Set(this.#values.keys());
  }

  copy(): Variables {
    const copy = new Variables([]);
    for (const [name, value] of this.#values) copy.#values.set(name, value);
    for (const name of this.#exported) copy.#exported.add(name);
    copy.positional = this.positional;
    copy.status = this.status;
    return copy;
  }

  get(name: string): string | undefined {
    switch (name) {
      case "?":
        return String(this.status);
      case "$":
        return "1";
      case "#":
        return String(this.positional.length);
      case "@":
      case "*":
        return this.positional.join(" ");
      case "0":
        return "sh";
      default:
        return /^\d$/.test(name) ? this.positional[Number(name) - 1] : this.#values.get(name);
    }
  }

  /** `NAME=value`. */
  assign(assignment: string, exported: boolean): void {
    const at = assignment.indexOf("=");
    const name = assignment.slice(0, at);
    this.#values.set(name, assignment.slice(at + 1));
    if (exported) this.#exported.add(name);
  }

  export(name: string): void {
    this.#exported.add(name);
  }

  unset(name: string): void {
    this.#values.delete(name);
    this.#exported.delete(name);
  }

  exported(): SimulatedContainer["env"] {
    return [...this.#values].flatMap(([name, value]) => (this.#exported.has(name) ? [{ name, value }] : []));
  }
}

/** What is not quoted falls apart at spaces; what is not quoted and empty is no word. */
export async function expandWords(
  words: readonly Word[],
  variables: Variables,
  outputOf: (script: string) => Promise<string>,
): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) {
    let field: string | undefined;
    for (const part of word) {
      const text =
        part.kind === "text"
          ? part.text
          : part.kind === "output"
            ? await outputOf(part.script)
            : ((variables.get(part.name) || part.otherwise) ?? "");
      if (part.quoted || part.kind === "text") {
        field = (field ?? "") + text;
        continue;
      }
      const [first = "", ...rest] = text.split(/[ \t\n]+/);
      if (first !== "") field = (field ?? "") + first;
      for (const next of rest) {
        if (field !== undefined) fields.push(field);
        field = next === "" ? undefined : next;
      }
    }
    if (field !== undefined) fields.push(field);
  }
  return fields;
}
