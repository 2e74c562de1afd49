/** Store events as watch events: one encoder for each group of watchers that see the same. */
import { failure, type KubeObject, type Status, StatusError, stringifyJson } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { Representation } from "../contracts/representation.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { encodeProtobuf, frameWatchEvent } from "../negotiation/protobuf.ts";
import type { Selection } from "../registry/selection.ts";
import { type ObjectCache, sendable, wireBytes } from "../storage/stored-object.ts";
import { partialObjectMetadata } from "../table/metadata.ts";
import { type IncludeObject, tableOfObject } from "../table/table.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** What all members of a group have in common. */
export interface WatchView {
  readonly resource: ServedResource;
  readonly prefix: string;
  readonly selection: Selection;
  readonly representation: Representation;
  readonly includeObject: IncludeObject;
}

export class EventEncoder {
  readonly view: WatchView;
  readonly #cache: ObjectCache;
  readonly #now: () => number;
  /** Only the first Table of a watch has its columns. */
  #headersSent = false;

  constructor(view: WatchView, cache: ObjectCache, now: () => number) {
    this.view = view;
    this.#cache = cache;
    this.#now = now;
  }

  /** Undefined when the watcher does not see the change: the object is neither selected now nor was it before. */
  encode(event: StoreEvent): Uint8Array | undefined {
    const { selection } = this.view;
    if (event.type === "delete")
      return selection.matches(event.previous) ? this.object("DELETED", event.previous, event.revision) : undefined;
    const { entry, previous } = event;
    const before = previous !== undefined && selection.matches(previous);
    if (selection.matches(entry)) return this.object(before ? "MODIFIED" : "ADDED", entry, entry.modified);
    return before ? this.object("DELETED", previous, entry.modified) : undefined;
  }

  /** An entry's event; `version` differs from the entry's own where the event is about its end. */
  object(type: EventType, entry: Entry, version: number): Uint8Array {
    const { representation, resource } = this.view;
    if (representation.encoding === "json" && representation.shape.as === "object" && sendable(entry, resource)) {
      return around(opening[type], wireBytes(entry.value, version, resource));
    }
    const object = this.#cache.objectAt(entry, resource);
    const atVersion =
      version === entry.modified ? object : { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    return this.#shaped(type, atVersion);
  }

  /** A bookmark: how far the watcher has come; `initialEnd` also that it has now seen all that was there at the start. */
  bookmark(version: number, initialEnd: boolean): Uint8Array {
    const { resource } = this.view;
    const metadata = {
      resourceVersion: String(version),
      ...(initialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    };
    return this.#shaped("BOOKMARK", { kind: resource.definition.kind, apiVersion: resource.apiVersion, metadata });
  }

  error(status: Status): Uint8Array {
    return this.#plain("ERROR", status);
  }

  /** What ends a watch whose events cannot be encoded; undefined where there is nothing that clients may know. */
  failure(error: unknown): Uint8Array | undefined {
    if (!(error instanceof StatusError)) return undefined;
    return this.error(failure(500, "InternalError", error.message).status);
  }

  #shaped(type: EventType, object: Readonly<KubeObject>): Uint8Array {
    const { representation, resource, includeObject } = this.view;
    const { shape } = representation;
    switch (shape.as) {
      case "object":
        return this.#plain(type, object);
      case "metadata":
        return this.#plain(type, partialObjectMetadata(resource.definition, object, shape.version));
      case "table": {
        const headers = !this.#headersSent;
        this.#headersSent = true;
        const options = { now: this.#now(), includeObject, headers, version: shape.version };
        return this.#plain(type, tableOfObject(resource.definition, { object }, options));
      }
    }
  }

  #plain(type: EventType, object: object): Uint8Array {
    if (this.view.representation.encoding === "protobuf") return frameWatchEvent(type, encodeProtobuf(object as KubeObject));
    return Buffer.from(`{"type":"${type}","object":${stringifyJson(object)}}\n`);
  }
}

const opening: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};

const closing = 0x7d;
const newline = 0x0a;

/** Puts an object's bytes, which end in a newline, between an event's opening and closing. */
function around(start: Buffer, object: Buffer): Buffer {
  const out = Buffer.allocUnsafe(start.byteLength + object.byteLength + 1);
  out.set(start, 0);
  out.set(object, start.byteLength);
  out[out.byteLength - 2] = closing;
  out[out.byteLength - 1] = newline;
  return out;
}
