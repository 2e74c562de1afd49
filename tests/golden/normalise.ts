/**
 * Makes answers of two servers comparable: what chance, time and the store's counter decide becomes an ordinal or a word, so
 * that values which are equal within one run stay recognisable as equal.
 */
import { isArray, isObject, type Json, type JsonObject, parseJson, valueAt } from "./json.ts";
import type { Answer, Step } from "./scenario.ts";
import type { RawAnswer } from "./server.ts";

const longMessage = 400;
const keptOfMessage = 80;
export const cutMark = " ...";

export const isCutMessage = (text: string): boolean => text.length === keptOfMessage + cutMark.length && text.endsWith(cutMark);

/** Of one run: the ordinals go on from answer to answer. */
export class Normaliser {
  readonly #namespace: string;
  /** Of the webhook beside the scenario: its port differs from run to run. */
  readonly #webhook: string | undefined;
  readonly #uids = new Ordinals("uid");
  readonly #resourceVersions = new Versions();

  constructor(namespace: string, webhook?: string) {
    this.#namespace = namespace;
    this.#webhook = webhook;
  }

  answer(step: Pick<Step, "name" | "keep">, raw: RawAnswer): Answer {
    const parsed = parseJson(raw.text) ?? parseLines(raw.text);
    const body = parsed === undefined ? this.#text(raw.text) : this.#value(parsed);
    const { keep } = step;
    return {
      step: step.name,
      status: raw.status,
      type: raw.type.split(";charset")[0] ?? "",
      ...(raw.warnings.length === 0 ? {} : { warnings: raw.warnings.map((warning) => this.#text(warning)) }),
      body: keep === undefined ? body : pick(body, keep),
    };
  }

  #value(value: Json, key = ""): Json {
    if (typeof value === "string") return this.#string(value, key);
    if (isArray(value))
      return key === "managedFields" ? inOrderOfManagers(this.#items(value)) : this.#items(withoutRepeatedBookmarks(value));
    if (!isObject(value)) return value;
    const entries = Object.entries(prepared(value)).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, member]) => [this.#text(name), this.#member(member, name, value.uid)]));
  }

  #items = (values: readonly Json[]): Json[] => values.map((item) => this.#value(item));

  #member(member: Json, name: string, uid: Json | undefined): Json {
    if (name === "resourceVersion" && typeof member === "string" && /^\d+$/.test(member) && member !== "0")
      return this.#resourceVersions.of(member, uid);
    return name === "cells" && isArray(member) ? member.map((cell) => this.#value(cell, "cell")) : this.#value(member, name);
  }

  #string(value: string, key: string): string {
    if (key === "storageVersionHash") return "HASH";
    // Long ones show the internals of an implementation.
    if (key === "message" && value.length > longMessage) return this.#text(value).slice(0, keptOfMessage) + cutMark;
    if (key === "cell" && /^(\d+[smhd])+$/.test(value)) return "AGE";
    if (key === "cell" && / \((\d+[smhd])+ ago\)$/.test(value)) return value.replace(/\(\S+ ago\)$/, "(AGE ago)");
    if (key === "continue" && value !== "") return "CONTINUE";
    return this.#text(value);
  }

  #text(text: string): string {
    const withoutPort = this.#webhook === undefined ? text : text.replaceAll(this.#webhook, "https://WEBHOOK");
    return withoutPort
      .replaceAll(this.#namespace, "NS")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) => this.#uids.of(uid))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "TIME")
      .replace(/(ResourceVersion in (?:the )?(?:precondition|record) )\(\d+\)/g, "$1(RV)")
      .replace(/(resourceVersion\\*":\\*")\d+/g, "$1RV")
      .replace(/^(gen-)[bcdfghjklmnpqrstvwxz2456789]{5}$/, "$1RANDOM");
  }
}

class Ordinals {
  readonly #kind: string;
  readonly #seen = new Map<string, string>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  of(value: string): string {
    const known = this.#seen.get(value) ?? `${this.#kind}#${this.#seen.size + 1}`;
    this.#seen.set(value, known);
    return known;
  }
}

/** What one write changes of several objects may have one version, or several: each counts as a version of its object. */
class Versions {
  readonly #ordinals = new Ordinals("rv");
  readonly #objects = new Map<string, string>();

  of(version: string, uid: Json | undefined): string {
    const first = this.#objects.get(version);
    // Where an answer has a version alone, whose it is says the first answer that has it with a uid.
    const object = typeof uid === "string" && first !== "" ? uid : (first ?? "");
    if (first === undefined) this.#objects.set(version, object);
    return this.#ordinals.of(`${version} ${object}`);
  }
}

/** Watches answer with a value on each line. */
function parseLines(text: string): Json | undefined {
  if (!text.includes("\n")) return undefined;
  const values = text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseJson);
  return values.every((value) => value !== undefined) ? values : undefined;
}

const pick = (body: Json, paths: readonly string[]): Json =>
  Object.fromEntries(
    paths.flatMap((path) => {
      const value = valueAt(body, path);
      return value === undefined ? [] : [[path, value]];
    }),
  );

/** What depends on the form of the whole object, before its values are looked at. */
const prepared = (value: JsonObject): JsonObject => withOneMessage(withoutExplanation(ofBookmark(ofList(withoutProse(value)))));

/** Descriptions of columns and of schemas are texts of their own on each server. */
function withoutProse(value: JsonObject): JsonObject {
  if (isArray(value.columnDefinitions)) {
    return { ...value, columnDefinitions: value.columnDefinitions.map((column) => without(column, "description")) };
  }
  return "openapi" in value || "swagger" in value ? (withoutDescriptions(value) as JsonObject) : value;
}

function without(value: Json, name: string): Json {
  if (!isObject(value)) return value;
  const { [name]: _, ...rest } = value;
  return rest;
}

function withoutDescriptions(value: Json): Json {
  if (isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, member]) => name !== "description" || typeof member !== "string");
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutDescriptions(member)]));
}

/** The version of a list counts the writes of all clients. */
function ofList(value: JsonObject): JsonObject {
  return isArray(value.items) || isArray(value.rows) ? withVersion(value, "LIST") : value;
}

const isBookmark = (event: Json | undefined): boolean => isObject(event) && event.type === "BOOKMARK" && "object" in event;

/** So does that of a bookmark, in a Table too. */
function ofBookmark(value: JsonObject): JsonObject {
  if (!isBookmark(value) || !isObject(value.object)) return value;
  const { rows } = value.object;
  const object = withVersion(value.object, "BOOKMARK");
  if (!isArray(rows)) return { ...value, object };
  const marked = rows.map((row) => (isObject(row) && isObject(row.object) ? { ...row, object: withVersion(row.object, "BOOKMARK") } : row));
  return { ...value, object: { ...object, rows: marked } };
}

const withVersion = (object: JsonObject, resourceVersion: string): JsonObject =>
  isObject(object.metadata) && object.metadata.resourceVersion ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object;

/** How many more follow one depends on what others write meanwhile. */
const withoutRepeatedBookmarks = (events: readonly Json[]): Json[] =>
  events.filter((event, i) => !isBookmark(event) || !isBookmark(events[i - 1]));

/** The causes that docs/concepts/conflicts.md adds where Kubernetes has none. */
function withoutExplanation(value: JsonObject): JsonObject {
  const { details } = value;
  if (value.kind !== "Status" || value.reason !== "Conflict" || !isObject(details) || !isArray(details.causes)) return value;
  const isOriginal = details.causes.some((cause) => isObject(cause) && cause.reason === "FieldManagerConflict");
  return isOriginal ? value : { ...value, details: without(details, "causes") };
}

/** The order of several errors is often chance, and the message repeats it. */
function withOneMessage(value: JsonObject): JsonObject {
  const { details } = value;
  if (value.kind !== "Status" || !isObject(details) || !isArray(details.causes) || details.causes.length < 2) return value;
  const causes = details.causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...value, message: "SEVERAL", details: { ...details, causes } };
}

/**
 * Entries of one operation stand in the order of their seconds, and in that of the managers within one: whether two writes fell
 * into one second is chance. Entries of applies stand before those of updates in any case.
 */
function inOrderOfManagers(entries: readonly Json[]): Json[] {
  const keyOf = (entry: Json): string =>
    ["manager", "apiVersion", "subresource"].map((name) => (isObject(entry) ? String(entry[name] ?? "") : "")).join("\0");
  const operationOf = (entry: Json | undefined) => (entry !== undefined && isObject(entry) ? entry.operation : undefined);
  const sorted: Json[] = [];
  for (let start = 0; start < entries.length; ) {
    let end = start + 1;
    while (end < entries.length && operationOf(entries[end]) === operationOf(entries[start])) end++;
    sorted.push(...entries.slice(start, end).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
    start = end;
  }
  return sorted;
}
