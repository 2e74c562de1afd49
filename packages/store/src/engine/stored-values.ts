import type { Entry, StoreEvent } from "../storage/store.ts";
import { identityTransformer, isEncrypted, TransformError, type ValueTransformer } from "../storage/value-transformer.ts";
import type { Change } from "./change-log.ts";

/** A value as it is on the disk. */
export interface SealedValue {
  /** Undefined where that is as it is in memory. */
  readonly stored: Uint8Array | undefined;
  readonly generation: number;
}

/** Values as they are on the disk, of the entries where that is not how they are in memory. */
export class StoredValues {
  readonly #transformer: ValueTransformer;
  readonly #stored = new WeakMap<Entry, Uint8Array>();
  /** Those whose value in memory is still the stored one. */
  readonly #unreadable = new Set<Entry>();
  /** Those that were stored in a form that is written no more, though not encrypted: that form is not kept beside the value. */
  readonly #staleForms = new WeakSet<Entry>();
  /** The generation of the transformer that has read an entry last, where that is not the first one. */
  readonly #read = new WeakMap<Entry, number>();
  readonly #first: number;
  /** A value that is stored as it is in memory, by the first generation: of such a one there is nothing to remember. */
  readonly plain: SealedValue;

  constructor(transformer: ValueTransformer = identityTransformer) {
    this.#transformer = transformer;
    this.#first = transformer.generation;
    this.plain = { stored: undefined, generation: this.#first };
  }

  /** Whether entries are to be checked before they are used: for as long as nothing has changed since the start, none is. */
  get areChecked(): boolean {
    return this.#unreadable.size > 0 || this.#transformer.generation !== this.#first;
  }

  /** @throws TransformError */
  checkWrite(key: string, actual: Entry | undefined): void {
    if (actual !== undefined && this.#unreadable.has(actual)) this.#readNow(actual);
    this.#transformer.checkWrite(key);
  }

  /** What to write of a value, and in which generation that was made of it. @throws TransformError */
  sealed(key: string, value: Uint8Array): SealedValue {
    const stored = this.#transformer.toStorage(key, value);
    const { generation } = this.#transformer;
    if (stored === value && generation === this.#first) return this.plain;
    return { stored: stored === value ? undefined : stored, generation };
  }

  /** Makes what is to be written of new entries, or remembers what was. */
  seal(changes: readonly Change[], sealedOf = (key: string, value: Uint8Array): SealedValue => this.sealed(key, value)): void {
    for (const { event } of changes) {
      if (event.type !== "put") continue;
      const { stored, generation } = sealedOf(event.entry.key, event.entry.value);
      if (stored !== undefined) this.#stored.set(event.entry, stored);
      if (generation !== this.#first) this.#read.set(event.entry, generation);
    }
  }

  readonly storedOf = (entry: Entry): Uint8Array => this.#stored.get(entry) ?? entry.value;

  /** An entry of the disk becomes one in memory. */
  load(entry: Entry): Entry {
    if (this.#transformer === identityTransformer && !isEncrypted(entry.value)) return entry;
    this.#unreadable.add(entry);
    try {
      this.#readNow(entry);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
    }
    return entry;
  }

  /** What could not be read without asking elsewhere. */
  async retry(): Promise<void> {
    for (const entry of this.#unreadable) {
      await this.#transformer.prepare?.(entry.key, this.storedOf(entry));
      this.load(entry);
    }
  }

  /** Makes sure that an entry can be read as things are now. @throws TransformError */
  async check(entry: Entry): Promise<void> {
    const isUnreadable = this.#unreadable.has(entry);
    if (!isUnreadable && (this.#read.get(entry) ?? this.#first) === this.#transformer.generation) return;
    await this.#transformer.prepare?.(entry.key, this.storedOf(entry));
    this.#readNow(entry);
  }

  /** Whether what an update without changes would write differs from what is stored. */
  isStale(entry: Entry): boolean {
    return this.#staleForms.has(entry) || this.#transformer.fromStorage(entry.key, this.storedOf(entry)).stale;
  }

  /** @throws TransformError when one of the events has what cannot be read */
  checkEvents(events: readonly StoreEvent[]): void {
    if (this.#unreadable.size === 0) return;
    for (const event of events) {
      if (event.type === "put" && this.#unreadable.has(event.entry)) this.#readNow(event.entry);
      if (event.previous !== undefined && this.#unreadable.has(event.previous)) this.#readNow(event.previous);
    }
  }

  isUnreadable(entry: Entry | undefined): boolean {
    return entry !== undefined && this.#unreadable.has(entry);
  }

  #readNow(entry: Entry): void {
    const stored = this.storedOf(entry);
    const { value, stale } = this.#transformer.fromStorage(entry.key, stored);
    if (this.#transformer.generation !== this.#first) this.#read.set(entry, this.#transformer.generation);
    if (!this.#unreadable.delete(entry) || value === stored) return;
    if (isEncrypted(stored)) this.#stored.set(entry, stored);
    else if (stale) this.#staleForms.add(entry);
    const loaded: { value: Uint8Array; derived: unknown } = entry;
    loaded.value = value;
    loaded.derived = undefined;
  }
}
