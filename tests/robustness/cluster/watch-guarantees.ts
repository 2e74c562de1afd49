/**
 * What a watch promises, as etcd words it, checked on each recorded stream: events are ordered, unique, atomic, resumable,
 * reliable, bookmarkable, filtered, and have the right objects, the previous ones too; progress is never ahead.
 */
import type { History, Version, Violation, Watch, WatchItem } from "./history.ts";
import { type ExpectedEvent, expectedEvents, type KnownChanges, knownChanges, positionOf } from "./known-changes.ts";

type WatchEvent = Extract<WatchItem, { readonly kind: "event" }>;

export function checkWatches(history: History, known: KnownChanges = knownChanges(history)): readonly Violation[] {
  const expectations = new Map<string, readonly ExpectedEvent[]>();
  return history.watches.flatMap((watch) => {
    const id = JSON.stringify([watch.filter.key, watch.filter.token]);
    const expected = expectations.get(id) ?? expectedEvents(known, watch.filter);
    expectations.set(id, expected);
    return [...inOrder(watch), ...objects(watch, expected, known), ...missing(watch, expected), ...progress(watch, known)];
  });
}

/** What the stream alone shows. */
function inOrder(watch: Watch): readonly Violation[] {
  const found: Violation[] = [];
  const seen = new Set<string>();
  let [last, bookmark] = [watch.from, watch.from];
  for (const item of watch.items) {
    if (item.kind === "bookmark") {
      if (item.revision < Math.max(last, bookmark))
        found.push(violation("ordered", watch, `a bookmark at ${item.revision} follows ${Math.max(last, bookmark)}`));
      bookmark = Math.max(bookmark, item.revision);
    }
    if (item.kind !== "event") continue;
    const { revision, key } = item.object;
    const what = describeEvent(item);
    if (seen.has(`${revision} ${key}`)) found.push(violation("unique", watch, `${what} comes twice`));
    else if (revision <= watch.from) found.push(violation("resumable", watch, `${what} was before the start at ${watch.from}`));
    else if (revision <= bookmark) found.push(violation("bookmarkable", watch, `${what} follows a bookmark at ${bookmark}`));
    else if (revision < last) found.push(violation("ordered", watch, `${what} follows ${last}`));
    seen.add(`${revision} ${key}`);
    last = Math.max(last, revision);
  }
  return found;
}

/** What the events carry, compared with what is known of their revisions. */
function objects(watch: Watch, expected: readonly ExpectedEvent[], known: KnownChanges): readonly Violation[] {
  const byId = new Map(expected.map((one) => [`${one.change.revision} ${one.change.key}`, one]));
  return watch.items.flatMap((item): readonly Violation[] => {
    if (item.kind !== "event") return [];
    const { object } = item;
    const what = describeEvent(item);
    const right = byId.get(`${object.revision} ${object.key}`);
    const changes = known.byKey.get(object.key) ?? [];
    if (right === undefined) {
      const isKnown = changes.some(({ revision }) => revision === object.revision);
      const isUncertain = watch.filter.token !== undefined && changes.some((change) => !change.isDeleted && change.value === undefined);
      if (isUncertain || !known.isComplete(object.key, object.revision)) return [];
      return [violation("filtered", watch, isKnown ? `${what} is not selected` : `${what} is of no change that is known`)];
    }
    if (item.event !== right.event) return [violation("filtered", watch, `${what} should be ${right.event}`, right)];
    const value = item.event === "DELETED" ? right.previous?.value : right.change.value;
    const name = item.event === "DELETED" ? "previous-object" : "object";
    if (value !== undefined && object.value !== value)
      return [violation(name, watch, `${what} has "${object.value}" instead of "${value}"`, right)];
    if (item.previous === undefined || isSameVersion(item.previous, right)) return [];
    const { previous } = item;
    return [violation("previous-object", watch, `${what} follows "${previous.value}" at ${previous.revision}`, right)];
  });
}

const isSameVersion = ({ key, value, revision }: Version, { previous }: ExpectedEvent): boolean =>
  previous?.key === key && previous.revision === revision && (previous.value ?? value) === value;

/** What is known to have happened and was passed over. */
function missing(watch: Watch, expected: readonly ExpectedEvent[]): readonly Violation[] {
  const events = watch.items.filter((item) => item.kind === "event");
  const delivered = new Set(events.map(({ object }) => `${object.revision} ${object.key}`));
  const revisions = events.map(({ object }) => object.revision);
  const isFinished = watch.items.some((item) => item.kind === "end" && item.by === "finished");
  const position = isFinished ? Number.POSITIVE_INFINITY : positionOf(watch);
  const lastEvent = Math.max(watch.from, ...revisions);
  const lastBookmark = Math.max(watch.from, ...watch.items.map((item) => (item.kind === "bookmark" ? item.revision : 0)));
  const firstEvent = Math.min(...revisions.filter((revision) => revision > watch.from));
  return expected.flatMap((one): readonly Violation[] => {
    const { revision, key } = one.change;
    if (revision <= watch.from || revision > position || delivered.has(`${revision} ${key}`)) return [];
    const what = `${one.event} of ${key} at ${revision} never comes`;
    if (revisions.includes(revision)) return [violation("atomic", watch, `${what}, but another event of that revision`, one)];
    if (revision > lastEvent && revision <= lastBookmark)
      return [violation("progress-ahead", watch, `${what}, but a bookmark at ${lastBookmark}`, one)];
    if (revision < firstEvent && revision <= lastEvent)
      return [violation("resumable", watch, `${what} after the start at ${watch.from}`, one)];
    return [violation("reliable", watch, what, one)];
  });
}

/** A bookmark promises that no change up to its revision is still to come, from any writer. */
function progress(watch: Watch, known: KnownChanges): readonly Violation[] {
  const bookmarks = watch.items.filter((item) => item.kind === "bookmark");
  if (bookmarks.length === 0) return [];
  return known.all.flatMap(({ revision, key, write }): readonly Violation[] => {
    const early = bookmarks.find((bookmark) => bookmark.revision >= revision && write !== undefined && write.call > bookmark.time);
    if (early === undefined || write === undefined) return [];
    const message = `a bookmark at ${early.revision} came at ${early.time}, the write of ${key} at ${revision} began at ${write.call}`;
    return [{ name: "progress-ahead", operations: [write], watch, message }];
  });
}

const describeEvent = ({ event, object }: WatchEvent): string => `${event} of ${object.key} at ${object.revision}`;

function violation(name: string, watch: Watch, message: string, expected?: ExpectedEvent): Violation {
  const operations = [expected?.change.write, expected?.previous?.write].filter((one) => one !== undefined);
  return { name, operations, watch, message: `watch ${watch.id} of ${watch.client} on ${watch.server}: ${message}` };
}
