/**
 * Between stored bytes and objects. The bytes that are stored are the bytes that are sent: an answer is the stored
 * value with the resourceVersion put in behind its head.
 */
import { convertObject } from "@coxswain/api";
import { decodeManagedFields, FieldSets, type ManagedFields, unmanaged } from "@coxswain/apply";
import { type KubeObject, type ObjectMeta, parseJson, stringifyJson } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import { cloneJson } from "./clone-json.ts";

/** What is kept beside an entry once it was needed. Objects are shared: whoever wants to change one copies it first. */
interface Derived {
  object: KubeObject | undefined;
  fields: Readonly<Record<string, string>> | undefined;
  labels: Readonly<Record<string, string>> | undefined;
  /** Of the object's metadata, in the form that writes work with. */
  managed: ManagedFields | undefined;
  /** The object of a custom resource as one of its definitions serves it, where that is not how it is stored. */
  served: { readonly by: ServedResource; readonly object: Readonly<KubeObject> } | undefined;
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/** Keeps the parsed form of the entries used last, so that memory does not hold every object twice. */
export class ObjectCache {
  /** First in, first out; `bytes` of stored form each, as a measure of what the object takes. */
  readonly #kept: { readonly derived: Derived; readonly bytes: number }[] = [];
  #oldest = 0;
  #bytes = 0;
  readonly #capacity: { readonly objects: number; readonly bytes: number };
  readonly #fieldSets = new FieldSets();

  constructor(capacity = { objects: 2048, bytes: 32 * 1024 * 1024 }) {
    this.#capacity = capacity;
  }

  /** What goes with a write of `bytes`, so that its reader need not parse what its writer had. */
  derivedOf(object: KubeObject, bytes: number, managed?: ManagedFields): unknown {
    const derived: Derived = { object, fields: undefined, labels: undefined, managed, served: undefined };
    this.#keep(derived, bytes);
    return derived;
  }

  /** What goes with an entry that was only made to be looked at in one version: it goes when the entry does. */
  passingDerivedOf(object: KubeObject, by: ServedResource): unknown {
    const derived: Derived = { object, fields: undefined, labels: undefined, managed: undefined, served: { by, object } };
    return derived;
  }

  /** The object in its stored version, with its resourceVersion. */
  objectOf(entry: Entry): Readonly<KubeObject> {
    const derived = derivedFor(entry);
    const kept = derived.object;
    if (kept !== undefined) {
      if (kept.metadata?.resourceVersion === undefined) withVersion(kept, entry);
      return kept;
    }
    const object = withVersion(parseStored(entry.value), entry);
    derived.object = object;
    this.#keep(derived, entry.value.byteLength);
    return object;
  }

  labelsOf(entry: Entry): Readonly<Record<string, string>> {
    const derived = derivedFor(entry);
    derived.labels ??= this.objectOf(entry).metadata?.labels ?? noLabels;
    return derived.labels;
  }

  /** Who manages which fields. What was stored was valid; what was not counts as no managed fields. */
  managedOf(entry: Entry): ManagedFields {
    const derived = derivedFor(entry);
    derived.managed ??= managedIn(this.objectOf(entry), this.#fieldSets);
    return derived.managed;
  }

  /** The values that field selectors of the stored kind may ask for, beyond name and namespace. */
  fieldsOf(entry: Entry, resource: ServedResource): Readonly<Record<string, string>> {
    // Each version of a custom resource offers fields of its own.
    if (resource.definition.custom !== undefined)
      return resource.definition.strategy.selectableFields?.(this.objectAt(entry, resource)) ?? noLabels;
    const derived = derivedFor(entry);
    derived.fields ??= resource.storage.definition.strategy.selectableFields?.(this.objectOf(entry)) ?? noLabels;
    return derived.fields;
  }

  /** The object in the version that was asked for. */
  objectAt(entry: Entry, resource: ServedResource): Readonly<KubeObject> {
    const object = this.objectOf(entry);
    if (resource.definition.custom !== undefined) return this.#customAt(entry, resource, object);
    return object.apiVersion === resource.apiVersion
      ? object
      : convertObject(object as KubeObject, resource.storage.definition, resource.definition);
  }

  /** The object in the version in which it was stored, pruned and defaulted by that version's schema as it is now. */
  storedObject(entry: Entry, resource: ServedResource): Readonly<KubeObject> {
    const object = this.objectOf(entry);
    const { custom } = resource.definition;
    if (custom === undefined || isSettled(entry, resource)) return object;
    const version = object.apiVersion?.slice(resource.definition.group.length + 1) ?? "";
    const own = cloneJson(object as KubeObject);
    (custom.versions.get(version)?.custom ?? custom).normalize(own);
    return own;
  }

  #customAt(entry: Entry, resource: ServedResource, object: Readonly<KubeObject>): Readonly<KubeObject> {
    if (sendable(entry, resource)) return object;
    const derived = derivedFor(entry);
    if (derived.served?.by === resource) return derived.served.object;
    let served = this.storedObject(entry, resource);
    if (served.apiVersion !== resource.apiVersion) served = convertedCustom(served, resource);
    derived.served = { by: resource, object: served };
    return served;
  }

  #keep(derived: Derived, bytes: number): void {
    this.#kept.push({ derived, bytes });
    this.#bytes += bytes;
    while (this.#kept.length - this.#oldest > this.#capacity.objects || this.#bytes > this.#capacity.bytes) this.#evict();
    if (this.#oldest >= this.#capacity.objects) {
      this.#kept.splice(0, this.#oldest);
      this.#oldest = 0;
    }
  }

  #evict(): void {
    const evicted = this.#kept[this.#oldest++];
    if (evicted === undefined) return;
    this.#bytes -= evicted.bytes;
    evicted.derived.object = undefined;
    evicted.derived.managed = undefined;
    evicted.derived.served = undefined;
  }
}

const derivedFor = (entry: Entry): Derived => {
  const known = entry.derived as Derived | undefined;
  if (known !== undefined) return known;
  const made: Derived = { object: undefined, fields: undefined, labels: undefined, managed: undefined, served: undefined };
  entry.derived = made;
  return made;
};

const maxLabels = 100;

/** Of what was derived from an entry, what is small enough for another thread. */
export function labelsAlone(derived: unknown): Derived | undefined {
  const object = (derived as Derived | undefined)?.object;
  if (object === undefined) return undefined;
  const labels = object.metadata?.labels ?? noLabels;
  if (Object.keys(labels).length > maxLabels) return undefined;
  return { object: undefined, fields: undefined, labels, managed: undefined, served: undefined };
}

function managedIn(object: Readonly<KubeObject>, sets: FieldSets): ManagedFields {
  const entries = object.metadata?.managedFields;
  if (entries === undefined || entries.length === 0) return unmanaged;
  try {
    return decodeManagedFields(entries, sets);
  } catch {
    return unmanaged;
  }
}

function withVersion(object: KubeObject, entry: Entry): KubeObject {
  if (object.metadata !== undefined) object.metadata.resourceVersion = String(entry.modified);
  return object;
}

/** Our own bytes need no second look, unless a number in them may be longer than a double holds. */
function parseStored(value: Uint8Array): KubeObject {
  const text = textOf(value);
  return (mayHoldLongNumber(value) ? parseJson(text) : JSON.parse(text)) as KubeObject;
}

const digitsOfLong = 16;

/** Whether so many digits follow each other: then one of them stands at each of these places. */
function mayHoldLongNumber(bytes: Uint8Array): boolean {
  for (let at = digitsOfLong - 1; at < bytes.length; at += digitsOfLong) {
    if (!isDigit(bytes[at])) continue;
    let from = at;
    while (isDigit(bytes[from - 1])) from--;
    let to = at;
    while (isDigit(bytes[to + 1])) to++;
    if (to - from + 1 >= digitsOfLong) return true;
  }
  return false;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

/**
 * The bytes to store for an object: kind, apiVersion and metadata first, without a resourceVersion, which is the
 * store's to give, and which is taken away from the object too.
 */
export function encodeObject({ kind, apiVersion, metadata, ...rest }: KubeObject): Uint8Array {
  forgetVersion(metadata);
  return encoder.encode(stringifyJson({ kind, apiVersion, metadata, ...rest }));
}

/** The same for an object of a custom resource, whose keys are sorted already. */
export function encodeCustom({ kind, apiVersion, metadata, ...rest }: KubeObject): Uint8Array {
  forgetVersion(metadata);
  return encoder.encode(stringifyJson({ apiVersion, kind, metadata, ...rest }));
}

/** Its arrays are in memory of their own, as the store keeps values: those of Buffer would have to be copied once more. */
const encoder = new TextEncoder();

function forgetVersion(metadata: ObjectMeta | undefined): void {
  if (metadata?.resourceVersion !== undefined) (metadata as { resourceVersion: string | undefined }).resourceVersion = undefined;
}

const opening = (version: number): string => `"resourceVersion":"${version}",`;

/** A custom resource's object of another version, pruned. Where no webhook converts, versions differ by name. */
export function convertedCustom(object: Readonly<KubeObject>, resource: ServedResource): KubeObject {
  const converted = cloneJson({ ...object, apiVersion: resource.apiVersion });
  resource.definition.custom?.prune(converted);
  return converted;
}

/** Whether the stored bytes can be sent as they are for this resource. */
export const sendable = (entry: Entry, resource: ServedResource): boolean => isSettled(entry, resource) && hasHead(entry, resource);

/** Whether the schema has been the same since the entry was written. */
const isSettled = ({ modified }: Entry, { stats }: ServedResource): boolean =>
  modified >= stats.settledSince && (stats.outdatedWrites ?? 0) === 0;

/** Whether the stored bytes begin as those of the resource do. */
export function hasHead({ value }: Entry, { head, olderHead }: ServedResource): boolean {
  if (value.byteLength <= head.byteLength + 1 || value[head.byteLength] !== quote) return false;
  return beginsWith(value, head) || (olderHead !== undefined && beginsWith(value, olderHead));
}

/** Shorter than what a call into native code takes. */
function beginsWith(value: Uint8Array, head: Uint8Array): boolean {
  for (let i = head.byteLength - 1; i >= 0; i--) if (value[i] !== head[i]) return false;
  return true;
}

const quote = 0x22;
const newline = 0x0a;

/** A stored object as it goes out alone, in bytes, ending in a newline. `version` is the modified revision, but for deletions. */
export function wireBytes(value: Uint8Array, version: number, resource: ServedResource): Buffer {
  const middle = opening(version);
  const at = resource.head.byteLength;
  const out = Buffer.allocUnsafe(value.byteLength + middle.length + 1);
  out.set(resource.head, 0);
  out.write(middle, at, "latin1");
  out.set(at === 0 ? value : value.subarray(at), at + middle.length);
  out[out.byteLength - 1] = newline;
  return out;
}

/** The length of `writeItem`'s bytes. */
export const itemLength = (value: Uint8Array, version: number, resource: ServedResource): number =>
  value.byteLength - resource.head.byteLength + resource.itemHead.byteLength + opening(version).length;

/** Writes an object as a list item at `at`; returns where it ends. */
export function writeItem(out: Buffer, at: number, { value, modified }: Entry, resource: ServedResource): number {
  const { head, itemHead } = resource;
  out.set(itemHead, at);
  out.set(versionHead, at + itemHead.byteLength);
  let position = writeDecimal(out, at + itemHead.byteLength + versionHead.byteLength, modified);
  out[position++] = quote;
  out[position++] = comma;
  copy.call(value, out, position, head.byteLength);
  return position + value.byteLength - head.byteLength;
}

const versionHead = Buffer.from('"resourceVersion":"');
const comma = 0x2c;
/** Makes no view, as `set` with a part of the bytes would. */
const { copy } = Buffer.prototype;

/** Writes a whole number as text; returns where it ends. */
function writeDecimal(out: Buffer, at: number, number: number): number {
  let end = at + 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end++;
  let rest = number;
  for (let position = end - 1; position >= at; position--) {
    out[position] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}
