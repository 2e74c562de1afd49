/** How many objects of a resource there are, and how large they are: what a list of them costs. */
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

export interface ObjectStats {
  readonly count: number;
  readonly averageBytes: number;
}

/** For how long they are believed. Milliseconds. */
const freshMs = 10_000;
/** Of how many objects the size is looked at. */
const samples = 50;

export class ObjectStatsReader {
  readonly #reader: Pick<ObjectReader, "store" | "served">;
  readonly #known = new Map<string, { stats: ObjectStats | undefined; readAt: number }>();

  constructor(reader: Pick<ObjectReader, "store" | "served">) {
    this.#reader = reader;
  }

  /** As they were a while ago; undefined before they are known, and for what is not stored here. */
  of({ group, version, resource }: ResourceRequest, now: number): ObjectStats | undefined {
    const { served } = this.#reader;
    const prefix = served.find(group, version, resource)?.prefix;
    if (prefix === undefined) return undefined;
    const known = this.#known.get(prefix) ?? { stats: undefined, readAt: Number.NEGATIVE_INFINITY };
    if (now - known.readAt >= freshMs) {
      known.readAt = now;
      this.#known.set(prefix, known);
      this.#read(prefix).then(
        (stats) => {
          known.stats = stats;
        },
        // The list itself says what is wrong with the store.
        () => {
          known.readAt = Number.NEGATIVE_INFINITY;
        },
      );
    }
    return known.stats;
  }

  async #read(prefix: string): Promise<ObjectStats> {
    const { entries, remaining } = await this.#reader.store.list(prefix, { limit: samples });
    const bytes = entries.reduce((sum, { value }) => sum + value.byteLength, 0);
    return { count: entries.length + remaining, averageBytes: entries.length === 0 ? 0 : bytes / entries.length };
  }
}
