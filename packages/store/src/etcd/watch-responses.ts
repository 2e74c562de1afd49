/** What a watch brings, revision by revision. Most of it are the server's own writes: of those no more is read than which they are. */
import type { UnaryMethod } from "@coxswain/grpc";
import { ProtobufReader } from "@coxswain/machinery";
import { etcdMessage, etcdMethod, fieldTag, type WatchEvent, type WatchRequest, type WatchResponse } from "./protocol.ts";
import { idInRecord } from "./write-record.ts";

/** What is known without reading it. */
export interface Known<Own> {
  /** The revision up to which all events are. */
  after(): number;
  /** Writes without an answer by the numbers in their records, which are put under the key. */
  readonly own?: { readonly key: Buffer; readonly writes: ReadonlyMap<number, Own> };
}

/** All events of a revision, or those of it that come in one response. */
export interface RevisionEvents<Own> {
  readonly revision: number;
  /** The write that it was, where it is an own one; its events are not read then. */
  readonly own: Own | undefined;
  readonly events: readonly WatchEvent[];
}

/** A response without what was known when it came. */
export interface NewsResponse<Own> extends Omit<WatchResponse, "header" | "events"> {
  /** How far everything is known with it. */
  readonly revision: number;
  readonly news: readonly RevisionEvents<Own>[];
}

export function watchMethod<Own>(known: Known<Own>): UnaryMethod<WatchRequest, NewsResponse<Own>> {
  const { path, request, response } = etcdMethod("Watch");
  const scanner = new Scanner(known.own?.key);
  return {
    path,
    request,
    response: {
      decode(bytes) {
        const found = scanner.scan(bytes);
        const last = found.at(-1);
        if (last === undefined) {
          const { header, events: _, ...rest } = response.decode(bytes) as WatchResponse;
          return { ...rest, revision: header.revision, news: [] };
        }
        // With events the header may already be ahead of them.
        return { ...eventsAlone, fragment: scanner.isFragment, revision: last.revision, news: newsIn(found, known) };
      },
    },
  };
}

/** A response that has events has nothing else to say. */
const eventsAlone = { created: false, canceled: false, compactRevision: 0, cancelReason: "" };

function newsIn<Own>(found: readonly Found[], { after, own }: Known<Own>): readonly RevisionEvents<Own>[] {
  const known = after();
  const news: RevisionEvents<Own>[] = [];
  for (const { revision, events, ownId } of found) {
    if (revision <= known) continue;
    const write = ownId === undefined ? undefined : own?.writes.get(ownId);
    news.push({ revision, own: write, events: write === undefined ? events.map(decodeEvent) : [] });
  }
  return news;
}

const decodeEvent = (bytes: Uint8Array): WatchEvent => etcdMessage("Event").decode(bytes) as WatchEvent;

/** The events of one revision as they came, and the number of the record that this server has put with them. */
interface Found {
  readonly revision: number;
  readonly events: Uint8Array[];
  ownId: number | undefined;
}

/** Finds the events of a response, and of which revisions they are. */
class Scanner {
  isFragment = false;
  readonly #ownKey: Buffer | undefined;
  readonly #tags = {
    fragment: fieldTag("WatchResponse", "fragment"),
    events: fieldTag("WatchResponse", "events"),
    kv: fieldTag("Event", "kv"),
    key: fieldTag("KeyValue", "key"),
    modified: fieldTag("KeyValue", "modRevision"),
    value: fieldTag("KeyValue", "value"),
  };
  #reader = new ProtobufReader(new Uint8Array());
  #revision = 0;
  #isOwn = false;
  #ownId: number | undefined;

  constructor(ownKey: Buffer | undefined) {
    this.#ownKey = ownKey;
  }

  /** In the order of revisions. @throws DecodeError */
  scan(bytes: Uint8Array): readonly Found[] {
    const { fragment, events } = this.#tags;
    const reader = new ProtobufReader(bytes);
    const found: Found[] = [];
    let last: Found | undefined;
    this.isFragment = false;
    while (!reader.done) {
      const tag = reader.tag();
      if (tag === events) {
        const event = reader.bytes();
        this.#scanEvent(event);
        if (last?.revision !== this.#revision) {
          last = { revision: this.#revision, events: [], ownId: undefined };
          found.push(last);
        }
        last.events.push(event);
        last.ownId ??= this.#ownId;
      } else if (tag === fragment) this.isFragment = reader.boolean();
      else reader.skip(tag & 7);
    }
    return found;
  }

  #scanEvent(bytes: Uint8Array): void {
    const reader = new ProtobufReader(bytes);
    this.#reader = reader;
    this.#isOwn = false;
    this.#ownId = undefined;
    while (!reader.done) {
      const tag = reader.tag();
      if (tag === this.#tags.kv) reader.message(this.#scanField);
      else reader.skip(tag & 7);
    }
  }

  /** The key stands before the value. */
  readonly #scanField = (): void => {
    const { key, modified, value } = this.#tags;
    const tag = this.#reader.tag();
    if (tag === modified) this.#revision = Number(this.#reader.int64());
    else if (tag === key && this.#ownKey !== undefined) this.#isOwn = this.#ownKey.equals(this.#reader.bytes());
    else if (tag === value && this.#isOwn) this.#ownId = idInRecord(this.#reader.bytes());
    else this.#reader.skip(tag & 7);
  };
}
