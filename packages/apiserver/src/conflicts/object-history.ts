/** What happened to an object between the version that a write names and the one that was found: the same for all who lose to it. */
import type { FieldFilter } from "@coxswain/apply";
import type { StatusCause } from "@coxswain/machinery";
import type { Entry, KeyChange, Revision, Store } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entriesAt, isConverted, isInVersion } from "../storage/versions.ts";
import { type ChangedField, changedFields, type Span } from "./changed-fields.ts";
import { RevisionChanges } from "./revision-changes.ts";

export interface ObjectHistory {
  readonly resource: ServedResource;
  /** The object as it was at the version that the write names. */
  readonly read: Entry;
  readonly current: Entry;
  readonly last: KeyChange;
  /** How often the object was written since, where it was counted. */
  readonly behindBy: number | undefined;
  /** Undefined when there is too much to compare. */
  readonly fields: readonly HistoryField[] | undefined;
}

/** With what was found for others who lost to the same change. */
export interface HistoryField extends ChangedField {
  readonly found: {
    overlapping?: StatusCause;
    /** By what such a write would do to the field without meaning to. */
    aside?: Partial<Record<string, StatusCause>>;
    /** Whether a write with such a filter can change the field. */
    reach?: { readonly filter: FieldFilter | undefined; readonly reached: boolean };
  };
}

export interface Since {
  readonly key: string;
  readonly readAt: Revision;
  readonly current: Entry;
}

/** How many changes are counted, and looked at one by one. */
const maxChanges = 64;
/** Stored bytes beyond which objects are not compared, and of all that are looked at, about. */
export const maxBytes = { one: 256 * 1024, together: 1024 * 1024 };
/** What is kept for the next who loses. */
const capacity = { histories: 32, bytes: 16 * 1024, fields: 64 };

export class ObjectHistories {
  readonly #store: Store;
  readonly #cache: ObjectCache;
  readonly #changes: RevisionChanges;
  readonly #kept = new Map<string, ObjectHistory>();

  constructor({ store, cache }: { readonly store: Store; readonly cache: ObjectCache }) {
    this.#store = store;
    this.#cache = cache;
    this.#changes = new RevisionChanges(cache);
  }

  known(key: string, readAt: string, foundAt: string, resource: ServedResource): ObjectHistory | undefined {
    const history = this.#kept.get(nameOf(key, readAt, foundAt));
    return history?.resource === resource ? history : undefined;
  }

  /** Undefined when nothing happened to the object. @throws CompactedError, and Error when an object does not have the shape of its type */
  async of(since: Since, resource: ServedResource): Promise<ObjectHistory | undefined> {
    const history = await this.#find(since, resource);
    if (history === undefined || history.read.value.byteLength > capacity.bytes || (history.fields ?? []).length > capacity.fields)
      return history;
    this.#kept.set(nameOf(since.key, String(since.readAt), String(since.current.modified)), history);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= capacity.histories) break;
      this.#kept.delete(oldest);
    }
    return history;
  }

  async #find({ key, readAt, current }: Since, resource: ServedResource): Promise<ObjectHistory | undefined> {
    const { entry: read } = await this.#store.get(key, { at: readAt });
    if (read === undefined) return undefined;
    const largest = Math.max(read.value.byteLength, current.value.byteLength);
    const max = Math.min(maxChanges, Math.floor(maxBytes.together / largest));
    const since = await this.#store.history(key, { after: readAt, last: max + 1 });
    const changes = since.filter(({ revision }) => revision <= current.modified);
    const last = changes.at(-1);
    if (last === undefined) return undefined;
    const counted = changes.length <= max;
    const behindBy = counted ? changes.length : undefined;
    if (largest > maxBytes.one) return { resource, read, current, last, behindBy, fields: undefined };
    const span = await this.#inVersion({ read, current, steps: changes, each: counted }, resource);
    const fields = changedFields(this.#changes, this.#cache, resource, span).map((field) => ({ ...field, found: {} }));
    return { resource, read: span.read, current, last, behindBy, fields };
  }

  /** The span in the version that is wanted: only its ends where a webhook has to be asked. */
  async #inVersion(span: Span, resource: ServedResource): Promise<Span> {
    if (!isConverted(resource)) return span;
    const { read, current, steps } = span;
    const entries = [read, current, ...steps.flatMap(({ entry }) => entry ?? [])];
    if (entries.every((entry) => isInVersion(this.#cache, entry, resource))) return span;
    const [first = read, second = current] = await entriesAt(this.#cache, [read, current], resource);
    return { read: first, current: second, steps, each: false };
  }
}

const nameOf = (key: string, readAt: string, foundAt: string): string => `${readAt} ${foundAt} ${key}`;
