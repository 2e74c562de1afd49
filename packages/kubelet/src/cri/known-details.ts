/** Lists of the runtime name states only: what else is to be known of each is asked once for each state, not each second. */
import { RuntimeError } from "../runtime/runtime-error.ts";

/** So many questions at once. */
const parallel = 16;

export class KnownDetails<Listed extends { readonly id: string; readonly state: string }, Details> {
  readonly #ask: (listed: Listed, signal: AbortSignal) => Promise<Details>;
  readonly #isSettled: (details: Details) => boolean;
  readonly #known = new Map<string, { readonly state: string; readonly details: Details }>();
  /** Answers to what was asked before something was forgotten are not kept. */
  #forgotten = 0;

  constructor(ask: (listed: Listed, signal: AbortSignal) => Promise<Details>, isSettled: (details: Details) => boolean) {
    this.#ask = ask;
    this.#isSettled = isSettled;
  }

  /** In the order of the list, without what has gone since. `complete`: what is not listed may be forgotten. */
  async of(listed: readonly Listed[], complete: boolean, signal: AbortSignal): Promise<Details[]> {
    if (complete) {
      const ids = new Set(listed.map(({ id }) => id));
      for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    }
    const found: (Details | undefined)[] = [];
    let next = 0;
    const ask = async () => {
      for (let index = next++; index < listed.length; index = next++) found[index] = await this.#one(listed[index], signal);
    };
    await Promise.all(Array.from({ length: Math.min(parallel, listed.length) }, ask));
    return found.filter((details) => details !== undefined);
  }

  forget(id: string): void {
    this.#forgotten++;
    this.#known.delete(id);
  }

  async #one(listed: Listed | undefined, signal: AbortSignal): Promise<Details | undefined> {
    if (listed === undefined) return undefined;
    const known = this.#known.get(listed.id);
    if (known?.state === listed.state) return known.details;
    const forgotten = this.#forgotten;
    try {
      const details = await this.#ask(listed, signal);
      if (this.#isSettled(details) && forgotten === this.#forgotten) this.#known.set(listed.id, { state: listed.state, details });
      return details;
    } catch (error) {
      if (error instanceof RuntimeError && error.kind === "notFound") return undefined;
      throw error;
    }
  }
}
