/** A whole state on its way from one place to another: entries as they are stored, page by page, in no order that means something. */
import { createHash } from "node:crypto";

/** An entry with its value as it is stored. */
export interface StateEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly created: number;
  readonly modified: number;
  /** When it was last written, where that is known; milliseconds since the epoch. */
  readonly at: number | undefined;
  /** How long it still is there, where it ends by itself. */
  readonly ttlSeconds: number | undefined;
}

/** How much there is: what two copies of a state are compared by. */
export interface StateSummary {
  readonly entries: number;
  /** Of all keys and values. */
  readonly bytes: number;
  /** Of all keys with their values, in whatever order; twelve hexadecimal digits. */
  readonly digest: string;
}

/** The state of one revision, to be read once. */
export interface StateSource extends AsyncDisposable {
  readonly revision: number;
  /** About how many entries there will be. */
  readonly entries: number;
  /** What keys begin with where they are stored: what is encrypted may be bound to that. */
  readonly prefix: string;
  /** Never more than a few MiB at once. @throws StorageError */
  pages(): AsyncIterable<readonly StateEntry[]>;
  /** Whether a key of etcd has a value there now: so a target finds out that it is the same etcd. */
  holds?(key: Uint8Array, value: Uint8Array): Promise<boolean>;
}

/** A place for a state. Until `finish` it counts as incomplete there. */
export interface StateTarget extends AsyncDisposable {
  readonly prefix: string;
  /** @throws StorageError */
  write(entries: readonly StateEntry[]): Promise<void>;
  /** Reads back what is there now, makes sure that it is what was written, and lets it count. @throws StorageError */
  finish(written: StateSummary): Promise<TargetReport>;
}

/** What has become of versions. */
export interface TargetReport {
  /** The newest revision there. */
  readonly revision: number;
  /** How many entries have another version than in the source. */
  readonly renumbered: number;
}

/** So many bytes are a page, about. */
export const pageBytes = 4 << 20;

/** Sums up a state. Entries may come in any order. */
export class StateDigest {
  #entries = 0;
  #bytes = 0;
  #sum = 0;

  add({ key, value }: Pick<StateEntry, "key" | "value">): void {
    this.#entries++;
    this.#bytes += Buffer.byteLength(key) + value.byteLength;
    const hash = createHash("sha256").update(`${key}\0`).update(value).digest();
    this.#sum = (this.#sum + hash.readUIntBE(0, 6)) % 2 ** 48;
  }

  get summary(): StateSummary {
    return { entries: this.#entries, bytes: this.#bytes, digest: this.#sum.toString(16).padStart(12, "0") };
  }
}
