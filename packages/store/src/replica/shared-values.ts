/**
 * Values in memory that all threads of the process see: small ones behind each other in slabs. A slab ends when none of its values is in
 * any state that is kept; where a few keep many bytes from that, they are moved.
 */
import { slice, type Tree } from "../engine/tree.ts";
import type { Entry } from "../storage/store.ts";

interface Slab {
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
  used: number;
  /** Of values that are in a state that is kept. Bytes. */
  live: number;
}

/** Where a value is. Bytes. */
export interface ValuePlace {
  readonly slab: number;
  readonly offset: number;
  readonly length: number;
}

const slabBytes = 1024 * 1024;
/** A value of more than this has a slab for itself. */
const maxSmallBytes = 64 * 1024;
/** What may be lost in slabs beside as much as is used. */
const spareBytes = 8 * 1024 * 1024;

export class SharedValues {
  /** Those that were opened since the last time that anybody has asked. */
  #opened: Slab[] = [];
  #current: Slab | undefined;
  #last = 0;
  #allocated = 0;
  #live = 0;
  readonly #slabs = new WeakMap<ArrayBufferLike, Slab>();

  /** What is allocated, and how much of it is used. Bytes. */
  get size(): { readonly allocated: number; readonly live: number } {
    return { allocated: this.#allocated, live: this.#live };
  }

  /** In which small values are put. */
  get current(): Pick<Slab, "number" | "buffer"> | undefined {
    return this.#current;
  }

  /** From now on its value is in shared memory. */
  place(entry: Entry): void {
    const { value } = entry;
    const { byteLength } = value;
    const slab = this.#slabFor(byteLength);
    const view = new Uint8Array(slab.buffer, slab.used, byteLength);
    view.set(value);
    slab.used += byteLength;
    slab.live += byteLength;
    this.#live += byteLength;
    const placed: { value: Uint8Array } = entry;
    placed.value = view;
  }

  /** Undefined: it is no shared one. */
  placeOf({ value }: Entry): ValuePlace | undefined {
    const slab = this.#slabs.get(value.buffer);
    return slab && { slab: slab.number, offset: value.byteOffset, length: value.byteLength };
  }

  /** The entry is in no state that is kept any more. */
  drop(entry: Entry): void {
    const slab = this.#slabs.get(entry.value.buffer);
    if (slab !== undefined) this.#free(slab, entry.value.byteLength);
  }

  /** Slabs that there were not at the last call. */
  takeOpened(): readonly { readonly number: number; readonly buffer: SharedArrayBuffer }[] {
    if (this.#opened.length === 0) return none;
    const opened = this.#opened.map(({ number, buffer }) => ({ number, buffer }));
    this.#opened = [];
    return opened;
  }

  /** Whose values to place anew, so that slabs end which are mostly empty; none as long as little is lost. */
  sparse(tree: Tree): Entry[] {
    if (this.#allocated <= 2 * this.#live + spareBytes) return [];
    return slice(tree, 0, tree.size).filter((entry) => this.isSparse(entry));
  }

  isSparse({ value }: Entry): boolean {
    const slab = this.#slabs.get(value.buffer);
    return slab !== undefined && slab !== this.#current && 2 * slab.live < slab.buffer.byteLength;
  }

  /** It is in the same state as before, in another place. */
  move(entry: Entry): void {
    const slab = this.#slabs.get(entry.value.buffer);
    const { byteLength } = entry.value;
    this.place(entry);
    if (slab !== undefined) this.#free(slab, byteLength);
  }

  #free(slab: Slab, bytes: number): void {
    slab.live -= bytes;
    this.#live -= bytes;
    if (slab.live === 0 && slab !== this.#current) this.#allocated -= slab.buffer.byteLength;
  }

  #slabFor(bytes: number): Slab {
    if (bytes > maxSmallBytes) return this.#open(bytes);
    if (this.#current !== undefined && this.#current.used + bytes <= slabBytes) return this.#current;
    const before = this.#current;
    this.#current = this.#open(slabBytes);
    if (before?.live === 0) this.#allocated -= slabBytes;
    return this.#current;
  }

  #open(bytes: number): Slab {
    const slab = { number: ++this.#last, buffer: new SharedArrayBuffer(bytes), used: 0, live: 0 };
    this.#slabs.set(slab.buffer, slab);
    this.#opened.push(slab);
    this.#allocated += bytes;
    return slab;
  }
}

const none: readonly never[] = [];
