/** What the changes of a timeline made of their objects, for who records them. */
import type { HistoryReader, Version, VersionInfo } from "@coxswain/history";
import type { KubeObject, TimelineObject, TimelineVersion } from "@coxswain/machinery";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entriesAt } from "../storage/versions.ts";
import { entryOf } from "./past-store.ts";

export const maxVersionsOfPage = 1_000;
/** A page ends behind the revision with which its objects have become so large. Bytes, as they are stored. */
const maxPageBytes = 8 * 1024 * 1024;
/** Versions of one object that are read at a time, as long as they are small. */
const versionsAtOnce = 16;
const smallBytes = 64 * 1024;

export interface VersionServices {
  readonly history: HistoryReader;
  readonly cache: ObjectCache;
  readonly served: ServedResources;
  readonly eventLoop: EventLoop;
}

export class TimelineVersions {
  readonly all: TimelineVersion[] = [];
  readonly #services: VersionServices;
  /** Of each key the revisions that are still to come. */
  readonly #wanted = new Map<string, number[]>();
  readonly #read = new Map<string, Version[]>();
  #bytes = 0;
  #last = 0;
  #atOnce = versionsAtOnce;

  /** @param changes oldest first */
  constructor(services: VersionServices, changes: readonly VersionInfo[]) {
    this.#services = services;
    for (const { key, revision } of changes) {
      const revisions = this.#wanted.get(key);
      if (revisions === undefined) this.#wanted.set(key, [revision]);
      else revisions.push(revision);
    }
  }

  /** Whether the page ends before a revision. Changes of one revision are not parted. */
  isFull(revision: number): boolean {
    return this.#bytes >= maxPageBytes && revision !== this.#last;
  }

  /** What a change made, in the version of the API that its object is shown in. */
  async add(change: VersionInfo, object: TimelineObject): Promise<void> {
    const { revision, note } = change;
    const { value } = await this.#versionOf(change);
    this.#last = revision;
    this.#bytes += value?.byteLength ?? 0;
    const made = value === undefined ? undefined : await this.#objectOf(change.key, revision, value, object);
    this.all.push({
      ...(made === undefined ? {} : { object: made }),
      ...(note?.requestId === undefined ? {} : { requestID: note.requestId }),
    });
    await this.#services.eventLoop.yieldFor(value?.byteLength ?? 0);
  }

  async #versionOf({ key, revision }: VersionInfo): Promise<Pick<Version, "value">> {
    const wanted = this.#wanted.get(key) ?? [];
    let read = this.#read.get(key) ?? [];
    if (read.length === 0) {
      const upTo = wanted[Math.min(this.#atOnce, wanted.length) - 1] ?? revision;
      const newestFirst = await this.#services.history.valuesOf(key, { after: revision - 1, upTo, limit: this.#atOnce });
      read = newestFirst.toReversed();
      this.#read.set(key, read);
      if (read.some(({ value }) => (value?.byteLength ?? 0) > smallBytes)) this.#atOnce = 1;
    }
    wanted.shift();
    return read.shift() ?? { value: undefined };
  }

  async #objectOf(key: string, modified: number, value: Uint8Array, object: TimelineObject): Promise<Readonly<KubeObject> | undefined> {
    const { cache, served } = this.#services;
    const resource = served.find(object.group, object.version, object.resource);
    if (resource === undefined) return undefined;
    const [entry] = await entriesAt(cache, [entryOf({ key, modified, value })], resource);
    return entry === undefined ? undefined : cache.objectAt(entry, resource);
  }
}
