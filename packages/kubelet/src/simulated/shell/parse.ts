/** The commands of a shell's script: lists, pipelines, groups and `if`. */
import { type Part, type Token, tokensOf, Unfinished } from "./lexer.ts";

export type Word = readonly Part[];

export interface Redirect {
  readonly descriptor: "0" | "1" | "2" | "both";
  readonly operator: string;
  readonly target: Word;
}

export type Command =
  | { readonly kind: "simple"; readonly words: readonly Word[]; readonly redirects: readonly Redirect[] }
  | { readonly kind: "group"; readonly body: List; readonly subshell: boolean; readonly redirects: readonly Redirect[] }
  | { readonly kind: "if"; readonly branches: readonly { readonly condition: List; readonly body: List }[]; readonly otherwise: List };

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly Command[];
  /** What comes before it. */
  readonly when: "always" | "succeeded" | "failed";
}

export type List = readonly Pipeline[];

/** @throws Unfinished, SyntaxError */
export const parseScript = (text: string): List => {
  const parser = new Parser(tokensOf(text));
  const list = parser.list([]);
  parser.expectEnd();
  return list;
};

const reserved = new Set(["if", "then", "elif", "else", "fi", "{", "}", "!"]);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Until one of these reserved words, or a bracket that closes. */
  list(ends: readonly string[]): List {
    const pipelines: Pipeline[] = [];
    let when: Pipeline["when"] = "always";
    for (;;) {
      while (when === "always" && this.#takeOperator(";", "\n", "&") !== undefined);
      if (when !== "always") while (this.#takeOperator("\n") !== undefined);
      const word = this.#reserved();
      if (this.#peek() === undefined || this.#isOperator(")") || (word !== undefined && ends.includes(word))) {
        if (when !== "always" && this.#peek() === undefined) throw new Unfinished();
        return pipelines;
      }
      pipelines.push(this.#pipeline(when));
      const joined = this.#takeOperator("&&", "||", ";", "\n", "&");
      when = joined === "&&" ? "succeeded" : joined === "||" ? "failed" : "always";
      if (joined === undefined && this.#peek() !== undefined && !this.#isOperator(")")) this.#unexpected();
    }
  }

  expectEnd(): void {
    if (this.#peek() !== undefined) this.#unexpected();
  }

  #pipeline(when: Pipeline["when"]): Pipeline {
    const negated = this.#takeReserved("!");
    const commands = [this.#command()];
    while (this.#takeOperator("|") !== undefined) {
      while (this.#takeOperator("\n") !== undefined);
      commands.push(this.#command());
    }
    return { negated, commands, when };
  }

  #command(): Command {
    if (this.#takeOperator("(") !== undefined) {
      const body = this.list([]);
      this.#expect(() => this.#takeOperator(")") !== undefined);
      return { kind: "group", body, subshell: true, redirects: this.#redirects() };
    }
    if (this.#takeReserved("{")) {
      const body = this.list(["}"]);
      this.#expect(() => this.#takeReserved("}"));
      return { kind: "group", body, subshell: false, redirects: this.#redirects() };
    }
    if (this.#takeReserved("if")) return this.#if();
    return this.#simple();
  }

  #if(): Command {
    const branches: { condition: List; body: List }[] = [];
    let otherwise: List = [];
    do {
      const condition = this.list(["then"]);
      this.#expect(() => this.#takeReserved("then"));
      branches.push({ condition, body: this.list(["elif", "else", "fi"]) });
    } while (this.#takeReserved("elif"));
    if (this.#takeReserved("else")) otherwise = this.list(["fi"]);
    this.#expect(() => this.#takeReserved("fi"));
    return { kind: "if", branches, otherwise };
  }

  #simple(): Command {
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      redirects.push(...this.#redirects());
      const token = this.#peek();
      if (token?.kind !== "word") break;
      if (words.length === 0 && reserved.has(this.#reserved() ?? "")) break;
      words.push(token.parts);
      this.#at++;
    }
    if (words.length === 0 && redirects.length === 0) this.#unexpected();
    return { kind: "simple", words, redirects };
  }

  #redirects(): Redirect[] {
    const found: Redirect[] = [];
    for (let token = this.#peek(); token?.kind === "redirect"; token = this.#peek()) {
      this.#at++;
      const target = this.#peek();
      if (target?.kind !== "word") this.#unexpected();
      else found.push({ descriptor: token.descriptor, operator: token.operator, target: target.parts });
      this.#at++;
    }
    return found;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #isOperator(text: string): boolean {
    const token = this.#peek();
    return token?.kind === "operator" && token.text === text;
  }

  #takeOperator(...texts: readonly string[]): string | undefined {
    const found = texts.find((text) => this.#isOperator(text));
    if (found !== undefined) this.#at++;
    return found;
  }

  /** A word without quotes, where a command begins. */
  #reserved(): string | undefined {
    const token = this.#peek();
    if (token?.kind !== "word" || !token.parts.every((part) => part.kind === "text" && !part.quoted)) return undefined;
    return token.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  }

  #takeReserved(word: string): boolean {
    const found = this.#reserved() === word;
    if (found) this.#at++;
    return found;
  }

  #expect(take: () => boolean): void {
    if (!take()) this.#unexpected();
  }

  #unexpected(): never {
    const token = this.#peek();
    if (token === undefined) throw new Unfinished();
    const what = token.kind === "operator" ? token.text.replace("\n", "newline") : token.kind === "redirect" ? token.operator : "word";
    throw new SyntaxError(`syntax error: unexpected ${JSON.stringify(what)}`);
  }
}
