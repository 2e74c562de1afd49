/**
 * A recorded history: what named clients of several servers asked, when, and what they were answered.
 *
 * Times come from one monotonic clock. The store was empty at the beginning, and a write changes something, so that it
 * has a revision of its own.
 */

/** A value is a set of tokens, sorted and with spaces between them; a patch adds one, as a merge patch adds a key to a map. */
export const withToken = (value: string, token: string): string => [...new Set([...tokensOf(value), token])].sort().join(" ");

export const tokensOf = (value: string): readonly string[] => value.split(" ").filter((token) => token !== "");

/** What a key has at a revision, which is that of its last change. */
export interface Version {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

/** Which resourceVersion a read names: none, for the newest; any; or one that it must not be older than. */
export type ReadAt = "" | "0" | number;

/** "Other" says nothing of what is stored. Whatever has failed had no effect. */
export interface Failed {
  readonly kind: "failed";
  readonly reason: "NotFound" | "AlreadyExists" | "Conflict" | "Other";
}

/** A write may have taken effect, may do so later, or never. */
export interface Unknown {
  readonly kind: "unknown";
}

/** Deletions of Kubernetes may be answered without a revision. `value` is all that is stored now, where the answer says so. */
export interface Written {
  readonly kind: "ok";
  readonly revision?: number;
  readonly value?: string;
}

interface Call {
  readonly type: "operation";
  readonly id: number;
  readonly client: string;
  readonly server: string;
  readonly call: number;
  readonly return: number;
}

export type Write = Call & { readonly key: string; readonly outcome: Written | Failed | Unknown } & (
    | { readonly do: "create"; readonly value: string }
    | { readonly do: "update"; readonly value: string; readonly expectedRevision?: number }
    | { readonly do: "patch"; readonly token: string }
    /** As a patch, or, where nothing is, as a create. */
    | { readonly do: "apply"; readonly token: string }
    | { readonly do: "delete"; readonly expectedRevision?: number }
  );

export type Get = Call & {
  readonly do: "get";
  readonly key: string;
  readonly at: ReadAt;
  readonly outcome: { readonly kind: "ok"; readonly item: Version } | Failed | Unknown;
};

export type List = Call & {
  readonly do: "list";
  readonly at: ReadAt;
  /** At that revision, and no later one. */
  readonly isExact?: true;
  readonly outcome: { readonly kind: "ok"; readonly revision: number; readonly items: readonly Version[] } | Failed | Unknown;
};

export type Operation = Write | Get | List;

export const isWrite = (operation: Operation): operation is Write => operation.do !== "get" && operation.do !== "list";

/** What a read has shown. */
export function itemsOf(operation: Operation): readonly Version[] {
  if (operation.outcome.kind !== "ok" || isWrite(operation)) return [];
  return "items" in operation.outcome ? operation.outcome.items : "item" in operation.outcome ? [operation.outcome.item] : [];
}

/** What a watch selects; of both what is named. An object that begins to have the token is ADDED, one that ceases to is DELETED. */
export interface Filter {
  readonly key?: string;
  readonly token?: string;
}

export const isSelected = (filter: Filter, { key, value }: Pick<Version, "key" | "value">): boolean =>
  (filter.key === undefined || filter.key === key) && (filter.token === undefined || tokensOf(value).includes(filter.token));

/** The object of a DELETED event is the last one that was selected, with the revision of its deletion. */
export type WatchItem =
  | {
      readonly kind: "event";
      readonly time: number;
      readonly event: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: Version;
      /** What was there before, where the stream has that. */
      readonly previous?: Version;
    }
  | { readonly kind: "bookmark"; readonly time: number; readonly revision: number }
  /** As a Status in the stream: 410 where changes are compacted. */
  | { readonly kind: "error"; readonly time: number; readonly code: number }
  /** "finished": by the client, after all that was written had time to come. "stopped" and "closed": by client and server at any time. */
  | { readonly kind: "end"; readonly time: number; readonly by: "finished" | "stopped" | "closed" };

/** One stream; a watch that goes on after an interruption is another stream. */
export interface Watch {
  readonly type: "watch";
  readonly id: number;
  readonly client: string;
  readonly server: string;
  readonly start: number;
  /** Changes after it are wanted. */
  readonly from: number;
  readonly filter: Filter;
  readonly items: readonly WatchItem[];
}

export interface History {
  readonly operations: readonly Operation[];
  readonly watches: readonly Watch[];
}

/** Something that must not be, whichever check has found it. */
export interface Violation {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** The stream that it was seen in. */
  readonly watch?: Watch;
  readonly message: string;
}

/** One JSON object a line. */
export const historyToLines = ({ operations, watches }: History): string =>
  [...operations, ...watches].map((record) => `${JSON.stringify(record)}\n`).join("");

/** @throws Error with the number of a line that is no record of a history. */
export function historyFromLines(text: string): History {
  const operations: Operation[] = [];
  const watches: Watch[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const record = recordOf(line, i + 1);
    if (record.type === "watch") watches.push(record);
    else operations.push(record);
  }
  return { operations, watches };
}

function recordOf(line: string, number: number): Operation | Watch {
  const fail = (what: string, cause?: unknown): never => {
    throw new Error(`line ${number}: ${what}`, { cause });
  };
  let record: { readonly [field: string]: unknown } | null;
  try {
    record = JSON.parse(line);
  } catch (error) {
    return fail("no JSON", error);
  }
  if (record?.type === "watch") {
    if (!Array.isArray(record.items) || typeof record.from !== "number") fail("a watch needs items and from");
    return record as unknown as Watch;
  }
  if (record?.type !== "operation") return fail("the type must be operation or watch");
  const operation = record as unknown as Operation;
  if (!["create", "update", "patch", "apply", "delete", "get", "list"].includes(operation.do)) fail(`cannot do ${operation.do}`);
  if (!["ok", "failed", "unknown"].includes(operation.outcome?.kind)) fail("the outcome must be ok, failed or unknown");
  if (!(operation.call <= operation.return)) fail("an operation returns no earlier than it was called");
  return operation;
}

/** For messages: `update of b by client-1 at 3–7: ok at 12`. */
export function describeOperation(operation: Operation): string {
  const { outcome, client, call } = operation;
  const of = operation.do === "list" ? `at "${operation.at}"` : `of ${operation.key}`;
  return `${operation.do} ${of} by ${client} (${operation.server}) from ${call} to ${operation.return}: ${describeOutcome(outcome)}`;
}

function describeOutcome(outcome: Operation["outcome"]): string {
  switch (outcome.kind) {
    case "failed":
      return outcome.reason;
    case "unknown":
      return "unknown";
    default:
      return `ok at ${"item" in outcome ? outcome.item.revision : (outcome.revision ?? "a revision that was not answered")}`;
  }
}
