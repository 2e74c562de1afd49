/** Whether what a file has are records: anybody may have written it. */
import type { ConflictRecord, KubeObject } from "@coxswain/machinery";
import {
  type RecordedFailure,
  type RecordedRef,
  type RecordedWriter,
  type RecordingBody,
  type RecordingEnd,
  RecordingError,
  type RecordingHeader,
} from "./format.ts";

type Given = Readonly<Record<string, unknown>>;

/** @throws RecordingError */
export function validateHeader(given: Given): RecordingHeader {
  if (given.kind !== "header") throw new RecordingError("it has no header");
  const from = object(given, "from");
  return {
    kind: "header",
    coxswain: text(given, "coxswain"),
    made: time(given, "made"),
    source: oneOf(given, "source", ["server", "test"]),
    time: oneOf(given, "time", ["real", "virtual"]),
    reason: text(given, "reason"),
    from: { resourceVersion: revision(from, "resourceVersion"), time: time(from, "time") },
    secrets: oneOf(given, "secrets", ["redacted", "included"]),
    ...(given.seed === undefined ? {} : { seed: whole(given, "seed") }),
    ...(given.omitted === undefined ? {} : { omitted: texts(given, "omitted") }),
    ...(given.failure === undefined ? {} : { failure: failureOf(object(given, "failure")) }),
  };
}

function failureOf(given: Given): RecordedFailure {
  return {
    message: text(given, "message"),
    ...(given.revision === undefined ? {} : { revision: revision(given, "revision") }),
    ...optional(given, "key"),
    ...optional(given, "until"),
  };
}

/** @throws RecordingError */
export const validateEnd = (given: Given): RecordingEnd => ({
  kind: "end",
  records: whole(given, "records"),
  resourceVersion: revision(given, "resourceVersion"),
  time: time(given, "time"),
});

/** Undefined for a kind of record that this program does not know. @throws RecordingError */
export function validateBody(given: Given): RecordingBody | undefined {
  switch (given.kind) {
    case "object":
      return {
        kind: "object",
        resourceVersion: revision(given, "resourceVersion"),
        ref: refOf(given),
        object: object(given, "object") as KubeObject,
      };
    case "change":
      return {
        kind: "change",
        resourceVersion: revision(given, "resourceVersion"),
        time: whole(given, "time"),
        operation: oneOf(given, "operation", ["create", "update", "delete"]),
        ref: refOf(given),
        by: writerOf(object(given, "by")),
        ...(given.operation === "delete" ? {} : { object: object(given, "object") as KubeObject }),
      };
    case "conflict":
      return { kind: "conflict", conflict: conflictOf(object(given, "conflict")) };
    case "request":
      return {
        kind: "request",
        time: whole(given, "time"),
        user: text(given, "user"),
        method: text(given, "method"),
        path: text(given, "path"),
        ...(given.code === undefined ? {} : { code: whole(given, "code") }),
        ...optional(given, "reason"),
        ...optional(given, "message"),
      };
    case "fault":
      return {
        kind: "fault",
        time: whole(given, "time"),
        fault: text(given, "fault"),
        request: text(given, "request"),
        ...(given.afterEvents === undefined ? {} : { afterEvents: whole(given, "afterEvents") }),
      };
    case "header":
      throw new RecordingError("it has two headers");
    default:
      text(given, "kind");
      return undefined;
  }
}

const groupName = /^(?:[a-z0-9][a-z0-9.-]{0,252})?$/;
const word = /^[a-z0-9][a-z0-9.-]{0,252}$/i;
/** What can be a segment of a path, and so of a key. */
const segment = /^(?!\.{1,2}$)[^/%\p{C}]{1,253}$/u;

function refOf(given: Given): RecordedRef {
  const ref = object(given, "ref");
  return {
    group: matching(ref, "group", groupName),
    version: matching(ref, "version", word),
    resource: matching(ref, "resource", word),
    kind: matching(ref, "kind", word),
    ...(ref.namespace === undefined ? {} : { namespace: matching(ref, "namespace", segment) }),
    name: matching(ref, "name", segment),
  };
}

const writerNames = ["user", "manager", "userAgent", "verb", "requestID", "readResourceVersion"] as const;
const writerOf = (given: Given): RecordedWriter => Object.assign({}, ...writerNames.map((name) => optional(given, name)));

/** Of the rest the page shows what it can. */
function conflictOf(given: Given): ConflictRecord {
  time(given, "at");
  const loser = object(given, "loser");
  for (const name of ["user", "manager", "userAgent", "requestId", "verb"]) text(loser, name);
  const about = object(given, "object");
  for (const name of ["group", "version", "resource"]) text(about, name);
  if (!Array.isArray(given.causes)) throw new RecordingError("causes is no list");
  for (const cause of given.causes) if (typeof cause !== "object" || cause === null) throw new RecordingError("a cause is no object");
  return given as unknown as ConflictRecord;
}

function text(given: Given, name: string): string {
  const value = given[name];
  if (typeof value !== "string") throw new RecordingError(`${name} is no text`);
  return value;
}

function optional<N extends string>(given: Given, name: N): { readonly [K in N]?: string } {
  return given[name] === undefined ? {} : ({ [name]: text(given, name) } as { readonly [K in N]?: string });
}

function matching(given: Given, name: string, pattern: RegExp): string {
  const value = text(given, name);
  if (!pattern.test(value)) throw new RecordingError(`${JSON.stringify(value.slice(0, 100))} cannot be a ${name}`);
  return value;
}

function whole(given: Given, name: string): number {
  const value = given[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new RecordingError(`${name} is no whole number`);
  return value;
}

/** Beyond that no history can keep it. */
const maxRevision = 2 ** 42;

function revision(given: Given, name: string): number {
  const value = whole(given, name);
  if (value > maxRevision) throw new RecordingError(`${name} is larger than any`);
  return value;
}

function time(given: Given, name: string): string {
  const value = text(given, name);
  if (Number.isNaN(Date.parse(value))) throw new RecordingError(`${name} is no time`);
  return value;
}

function oneOf<const T extends string>(given: Given, name: string, values: readonly T[]): T {
  const found = values.find((value) => value === given[name]);
  if (found === undefined) throw new RecordingError(`${name} is none of ${values.join(", ")}`);
  return found;
}

function texts(given: Given, name: string): readonly string[] {
  const value = given[name];
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === "string"))
    throw new RecordingError(`${name} is no list of texts`);
  return value;
}

function object(given: Given, name: string): Given {
  const value = given[name];
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new RecordingError(`${name} is no object`);
  return value as Given;
}
