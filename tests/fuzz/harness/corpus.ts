/** Inputs that are kept in files: what once was a flaw, and what covers code that others do not. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Corpus {
  /** Each was a flaw once. */
  readonly found: readonly string[];
  readonly covering: readonly string[];
}

const fileOf = (target: string): string => join(import.meta.dirname, "..", "corpus", `${target}.json`);

/** Longer ones are not kept: fixtures stay small. */
const maxLength = 2_000;
const maxCovering = 200;

export function readCorpus(target: string): Corpus & { readonly all: readonly string[] } {
  const file = fileOf(target);
  const { found, covering }: Corpus = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Corpus) : { found: [], covering: [] };
  return { found, covering, all: [...found, ...covering] };
}

export function addToCorpus(target: string, more: Corpus): void {
  const before = readCorpus(target);
  const join = (kept: readonly string[], added: readonly string[]): readonly string[] => [...new Set([...kept, ...added])];
  const after: Corpus = {
    found: join(before.found, more.found),
    covering: join(
      before.covering,
      more.covering.filter(({ length }) => length <= maxLength),
    ).slice(0, maxCovering),
  };
  if (after.found.length + after.covering.length === 0) return;
  if (JSON.stringify(after) !== JSON.stringify({ found: before.found, covering: before.covering }))
    writeFileSync(fileOf(target), `${asciiJson(after)}\n`);
}

/** Half characters and odd spaces survive in files only as escapes. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
