/**
 * The changes between a watch's beginning and now, in pieces of a bounded size: a client is sent the next when it has read
 * the one before. What clients of one view ask for at about the same time, as they do after an interruption, is encoded once.
 */
import type { Revision, Store, WatchBatch } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { WatchConversions } from "./conversion-queue.ts";
import type { EventEncoder } from "./event-encoder.ts";

/** Events of one piece, which are converted together. */
const pieceEvents = 128;
/** A write is sent when it has come to this; one event may be larger. */
const writeBytes = 64 * 1024;
/** Of encoded pieces that are kept for others. */
const keptBytes = 4 * 1024 * 1024;

/** A piece as it is sent. */
export interface EncodedPiece {
  /** Up to where the client has seen everything after it. */
  readonly revision: Revision;
  readonly writes: readonly Uint8Array[];
}

interface KeptPiece extends EncodedPiece {
  /** Bytes. */
  readonly size: number;
}

export class Backlog {
  readonly #store: Store;
  readonly #conversions: WatchConversions;
  /** The least recently asked for first. */
  readonly #kept = new Map<string, KeptPiece>();
  #keptBytes = 0;
  /** A definition that has changed shows its objects in another form, under the same name. */
  readonly #ids = new WeakMap<ServedResource, number>();
  #lastId = 0;

  constructor(store: Store, conversions: WatchConversions) {
    this.#store = store;
    this.#conversions = conversions;
  }

  /** The first piece after a revision, for one watch alone. @throws CompactedError, and the Status of a webhook's failure */
  async next(encoder: EventEncoder, after: Revision): Promise<EncodedPiece> {
    const batch = this.#read(encoder, after);
    const [converted = batch] = await this.#conversions.batches([batch], encoder.view);
    return { revision: batch.revision, writes: writesOf(encoder, converted) };
  }

  /** The same for all watches whose view has this key and needs no conversion. @throws CompactedError */
  nextShared(encoder: EventEncoder, after: Revision, view: string): EncodedPiece {
    const key = `${this.#idOf(encoder.view.resource)} ${after} ${view}`;
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const piece = known ?? this.#encode(encoder, after);
    this.#kept.set(key, piece);
    if (known === undefined) this.#evict(piece.size);
    return piece;
  }

  #encode(encoder: EventEncoder, after: Revision): KeptPiece {
    const batch = this.#read(encoder, after);
    const writes = writesOf(encoder, batch);
    return { revision: batch.revision, writes, size: writes.reduce((sum, { byteLength }) => sum + byteLength, 0) };
  }

  #read({ view }: EventEncoder, after: Revision): WatchBatch {
    return this.#store.events(view.prefix, { after, limit: pieceEvents });
  }

  #idOf(resource: ServedResource): number {
    const id = this.#ids.get(resource) ?? ++this.#lastId;
    this.#ids.set(resource, id);
    return id;
  }

  #evict(added: number): void {
    this.#keptBytes += added;
    for (const [oldest, { size }] of this.#kept) {
      if (this.#keptBytes <= keptBytes && this.#kept.size <= keptPieces) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= size;
    }
  }
}

/** Pieces may be empty. */
const keptPieces = 1_024;

function writesOf(encoder: EventEncoder, { events }: WatchBatch): Uint8Array[] {
  const writes: Uint8Array[] = [];
  let gathered: Uint8Array[] = [];
  let size = 0;
  const flush = (): void => {
    if (gathered.length > 0) writes.push(gathered.length === 1 && gathered[0] !== undefined ? gathered[0] : Buffer.concat(gathered));
    gathered = [];
    size = 0;
  };
  for (const event of events) {
    const bytes = encoder.encode(event);
    if (bytes === undefined) continue;
    if (size > 0 && size + bytes.byteLength > writeBytes) flush();
    gathered.push(bytes);
    size += bytes.byteLength;
  }
  flush();
  return writes;
}
