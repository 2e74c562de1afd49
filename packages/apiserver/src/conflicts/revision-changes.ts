/** Which fields each revision changed, found once and kept for the next who loses to it. */
import { type FieldChange, type FieldPath, fieldChanges, formatPath } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../registry/served-resource.ts";
import type { ObjectCache } from "../registry/stored-object.ts";

export interface NamedChange extends FieldChange {
  /** The path as it is told. */
  readonly field: string;
}

/** More fields than anybody reads; beyond, the answer to which of them overlap may lack some. */
export const mostFields = 4096;
const capacity = { revisions: 512, bytes: 1024 * 1024 };
/** What a change takes beside its text; estimated. */
const bytesPerChange = 300;

interface Kept {
  readonly resource: ServedResource;
  readonly changes: readonly NamedChange[];
  readonly bytes: number;
}

export class RevisionChanges {
  readonly #cache: ObjectCache;
  /** By the newer revision, oldest use of space first. */
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  constructor(cache: ObjectCache) {
    this.#cache = cache;
  }

  /** `before` is the entry that `after` followed. @throws Error when an object does not have the shape of its type */
  between(before: Entry, after: Entry, resource: ServedResource): readonly NamedChange[] {
    const known = this.#kept.get(after.modified);
    if (known?.resource === resource) return known.changes;
    const changes = this.compare(before, after, resource);
    const bytes = changes.reduce((sum, { field }) => sum + bytesPerChange + 2 * field.length, bytesPerChange);
    this.#keep(after.modified, { resource, changes, bytes });
    return changes;
  }

  /** The same for any two entries, which is not kept. */
  compare(before: Entry, after: Entry, resource: ServedResource): readonly NamedChange[] {
    const [left, right] = [this.#cache.objectAt(before, resource), this.#cache.objectAt(after, resource)];
    return fieldChanges(resource.type, left, right, { most: mostFields }).map((change) => {
      const path = tellable(change.path, resource);
      return { kind: path === change.path ? change.kind : "changed", path, field: formatPath(path) };
    });
  }

  #keep(revision: number, kept: Kept): void {
    this.#bytes += kept.bytes - (this.#kept.get(revision)?.bytes ?? 0);
    this.#kept.delete(revision);
    this.#kept.set(revision, kept);
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#kept.size <= capacity.revisions && this.#bytes <= capacity.bytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

/**
 * Items of a set are their own names. In metadata, and in built-in kinds, they are none that would have to be hidden; in
 * custom resources nobody knows.
 */
function tellable(path: FieldPath, { definition }: ServedResource): FieldPath {
  const [first] = path;
  if (definition.custom === undefined || (first?.kind === "field" && first.name === "metadata")) return path;
  const at = path.findIndex(({ kind }) => kind === "value");
  return at < 0 ? path : path.slice(0, at);
}
