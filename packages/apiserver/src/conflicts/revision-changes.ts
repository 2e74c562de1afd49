/** Which fields each revision changed, found once and kept for the next who loses to it. */
import { type FieldChange, type FieldPath, fieldChanges, formatPath } from "@coxswain/apply";
import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { describeChange, describeField, type Made } from "./cause-text.ts";

export interface NamedChange extends FieldChange {
  /** The path as it is reported. */
  readonly field: string;
}

/** What one revision did. */
export interface Step {
  readonly changes: readonly NamedChange[];
  /** Who made it, and when. */
  readonly story: string;
}

/** More fields than are read; beyond, the answer to which of them overlap may lack some. */
export const maxFields = 4096;
const capacity = { revisions: 128, bytes: 1024 * 1024 };
/** What a change takes beside its text; estimated. */
const bytesPerChange = 300;

interface Kept {
  readonly resource: ServedResource;
  readonly step: Step;
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
  step(before: Entry, after: Entry, made: Made, resource: ServedResource): Step {
    const known = this.#kept.get(after.modified);
    if (known?.resource === resource) return known.step;
    const step: Step = { changes: this.compare(before, after, resource), story: describeChange(made) };
    const bytes = step.changes.reduce((sum, { field }) => sum + bytesPerChange + 2 * field.length, bytesPerChange);
    this.#keep(after.modified, { resource, step, bytes });
    return step;
  }

  /** What differs between any two entries. */
  compare(before: Entry, after: Entry, resource: ServedResource): readonly NamedChange[] {
    const [left, right] = [this.#cache.objectAt(before, resource), this.#cache.objectAt(after, resource)];
    return fieldChanges(resource.type, left, right, maxFields).map((change) => {
      const path = disclosable(change.path, resource);
      return { kind: path === change.path ? change.kind : "changed", path, field: describeField(formatPath(path)) };
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
 * custom resources it is unknown.
 */
function disclosable(path: FieldPath, { definition }: ServedResource): FieldPath {
  const [first] = path;
  if (definition.custom === undefined || (first?.kind === "field" && first.name === "metadata")) return path;
  const at = path.findIndex(({ kind }) => kind === "value");
  return at < 0 ? path : path.slice(0, at);
}
