/** Fetches what happened: the newest first, then older pages, and what comes new. */
import { ServerError, timeline } from "./api.ts";
import type { Model } from "./model.ts";

/** Small, so that there is something to see at once. */
const firstPage = 2_000;
const pageSize = 20_000;
const pollMs = 1_000;

export interface LoaderOptions {
  readonly model: Model;
  /** After each page, and when something went wrong, which is said then. */
  readonly onProgress: (progress: { readonly isComplete: boolean; readonly error: string | undefined }) => void;
}

export class Loader {
  readonly #options: LoaderOptions;
  #newest = "";
  #isComplete = false;
  #oldestAt: number | undefined;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /** When the first known change was; milliseconds since the epoch. */
  get oldestAt(): number | undefined {
    return this.#oldestAt;
  }

  /** Everything, newest first; resolves when all is there. */
  async loadAll(): Promise<void> {
    const { model } = this.#options;
    let upTo: string | undefined;
    let limit = firstPage;
    for (;;) {
      const page = await this.#ask(() => timeline({ ...(upTo === undefined ? {} : { upTo }), limit }));
      if (page === undefined) return;
      if (this.#newest === "") this.#newest = page.metadata.resourceVersion;
      this.#oldestAt = page.oldest?.time ?? this.#oldestAt;
      model.addOlder(page);
      upTo = page.metadata.continue;
      limit = pageSize;
      this.#isComplete = upTo === undefined;
      this.#options.onProgress({ isComplete: this.#isComplete, error: undefined });
      if (upTo === undefined) return;
    }
  }

  /** Never ends. */
  async follow(): Promise<never> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      if (this.#newest === "" || document.hidden) continue;
      const page = await this.#ask(() => timeline({ after: this.#newest, limit: pageSize }));
      if (page === undefined) continue;
      this.#newest = page.metadata.continue ?? page.metadata.resourceVersion;
      if (page.changes.length === 0) continue;
      this.#options.model.addNewer(page);
      this.#options.onProgress({ isComplete: this.#isComplete, error: undefined });
    }
  }

  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      const why = error instanceof ServerError ? error.message : "the server does not answer";
      this.#options.onProgress({ isComplete: this.#isComplete, error: why });
      return undefined;
    }
  }
}
