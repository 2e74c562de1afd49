/** The last conflicts, for whoever comes to look. */
import type { ConflictRecord } from "@coxswain/machinery";

const capacity = { records: 256, bytes: 1024 * 1024 };

export interface ConflictFilter {
  readonly namespace?: string | undefined;
  readonly resource?: string | undefined;
  readonly name?: string | undefined;
  readonly limit?: number | undefined;
}

export class RecentConflicts {
  #records: { readonly record: ConflictRecord; readonly bytes: number }[] = [];
  #bytes = 0;

  /** `bytes`: what the record takes, about. */
  add(record: ConflictRecord, bytes: number): void {
    this.#records.push({ record, bytes });
    this.#bytes += bytes;
    while (this.#records.length > capacity.records || this.#bytes > capacity.bytes) this.#bytes -= this.#records.shift()?.bytes ?? 0;
  }

  /** Newest first. */
  list({ namespace, resource, name, limit = capacity.records }: ConflictFilter): readonly ConflictRecord[] {
    const asked = (is: string | undefined, wanted: string | undefined): boolean => wanted === undefined || is === wanted;
    return this.#records
      .map(({ record }) => record)
      .filter(({ object }) => asked(object.namespace, namespace) && asked(object.resource, resource) && asked(object.name, name))
      .reverse()
      .slice(0, limit);
  }
}
