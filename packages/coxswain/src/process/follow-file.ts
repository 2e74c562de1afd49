/** A file whose content counts as it is now. */
import { readFile, stat } from "node:fs/promises";
import type { ContentProvider, Log } from "@coxswain/apiserver";
import { type Clock, messageOf } from "@coxswain/machinery";
import { startErrorOf } from "./start-error.ts";

/** What a file is read for, and how it is followed. */
export interface FollowedFile<T> {
  readonly path: string;
  /** How errors call it. */
  readonly what: string;
  /** What stands in it. @throws Error for what cannot be used: the last that could goes on to count */
  readonly parse: (text: string) => T | Promise<T>;
  /** Called for a change that cannot be used. */
  readonly onFailure?: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a change may take to be seen. */
const everyMs = 1_000;

/** Reads it at once, and again whenever it changes, be it written or replaced. @throws StartError when it cannot be used at the start */
export async function followFile<T>(file: FollowedFile<T>): Promise<FileContent<T>> {
  try {
    const text = await readFile(file.path, "utf8");
    return new FileContent(file, text, await file.parse(text));
  } catch (error) {
    throw startErrorOf(`cannot use ${file.what}`, error);
  }
}

export class FileContent<T> implements ContentProvider<T>, Disposable {
  readonly #file: FollowedFile<T>;
  readonly #listeners = new Set<(value: T) => void>();
  #text: string;
  #current: T;
  #state = "";
  #timer: Disposable | undefined;
  #ended = false;

  constructor(file: FollowedFile<T>, text: string, current: T) {
    this.#file = file;
    this.#text = text;
    this.#current = current;
    this.#schedule();
  }

  get current(): T {
    return this.#current;
  }

  subscribe(listener: (value: T) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#ended) return;
    const timer = this.#file.clock.schedule(everyMs, () => void this.#probe().finally(() => this.#schedule()));
    timer.unref();
    this.#timer = timer;
  }

  /** Never rejects. A file that is away for a moment is being replaced. */
  async #probe(): Promise<void> {
    const { path, what, parse, onFailure, log } = this.#file;
    try {
      const { mtimeMs, ino, size } = await stat(path);
      const state = `${mtimeMs} ${ino} ${size}`;
      if (state === this.#state) return;
      const text = await readFile(path, "utf8");
      this.#state = state;
      if (text === this.#text || this.#ended) return;
      this.#text = text;
      const current = await parse(text);
      if (this.#ended) return;
      this.#current = current;
    } catch (error) {
      log.error({ path, error: messageOf(error) }, `failed to reload ${what}`);
      onFailure?.();
      return;
    }
    log.info({ path }, `reloaded ${what}`);
    for (const listener of this.#listeners) listener(this.#current);
  }
}
