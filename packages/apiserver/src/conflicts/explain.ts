/** Why a write is refused: what happened to its object since the version that the write names. */
import type { StatusCause } from "@coxswain/machinery";
import { CompactedError, type Entry, type KeyChange, type Revision, type Store } from "@coxswain/store";
import type { Exchange } from "../contracts/exchange.ts";
import type { Log } from "../contracts/log.ts";
import type { OldVersion, StaleWrite } from "../registry/stale-write.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { describeChange, describeManagers } from "./cause-text.ts";
import { maxBytes, type ObjectHistories, type ObjectHistory } from "./object-history.ts";
import { causesOf, intendedComparands } from "./relevance.ts";

export interface Explanation {
  readonly causes: readonly StatusCause[];
  /** How often the object was written since the writer had read it, where it was counted. */
  readonly behindBy?: number;
}

export interface Explainer {
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly log: Log;
  readonly histories: ObjectHistories;
}

export type Sent = Pick<Exchange, "body" | "requestId">;

/** Never fails: what cannot be explained is logged. */
export async function explain(by: Explainer, write: StaleWrite, { body, requestId }: Sent): Promise<Explanation> {
  try {
    if (write.names === "uid") return await explainReplaced(by, write);
    const key = keyFor(write);
    const known = by.histories.known(key, write.readAt, write.found.metadata?.resourceVersion ?? "", write.resource);
    const history = known ?? (await readHistory(by, key, write));
    return "causes" in history ? history : await explainHistory(by, history, write, body.byteLength);
  } catch (error) {
    if (error instanceof CompactedError) return { causes: [{ reason: "HistoryCompacted", message: compacted }] };
    by.log.error({ requestId, error }, "a conflict could not be explained");
    return { causes: [] };
  }
}

function explainHistory(by: Explainer, history: ObjectHistory, write: OldVersion, sentBytes: number): Explanation | Promise<Explanation> {
  const { fields, last } = history;
  if (fields === undefined || sentBytes > maxBytes.one) return explanation(history, write, [notCompared(last)]);
  if (fields.length === 0) return explanation(history, write, [otherChange(last)]);
  const intended = intendedComparands(history, write, by.cache);
  return intended instanceof Promise
    ? intended.then((comparands) => explanation(history, write, causesOf(fields, write, comparands)))
    : explanation(history, write, causesOf(fields, write, intended));
}

function explanation({ read, behindBy }: ObjectHistory, { readAt }: OldVersion, causes: readonly StatusCause[]): Explanation {
  const all = String(read.modified) === readAt ? causes : [...unknownVersion("it may be a list's").causes, ...causes];
  return behindBy === undefined ? { causes: all } : { causes: all, behindBy };
}

const keyFor = ({ resource, found: { metadata } }: StaleWrite): string => keyOf(resource, metadata?.namespace ?? "", metadata?.name ?? "");

const foundEntry = async ({ store }: Explainer, key: string, { found: { metadata } }: StaleWrite): Promise<Entry | undefined> =>
  (await store.get(key, { at: Number(metadata?.resourceVersion) as Revision })).entry;

async function explainReplaced(by: Explainer, write: StaleWrite): Promise<Explanation> {
  const key = keyFor(write);
  const current = await foundEntry(by, key, write);
  return { causes: current === undefined ? [] : [await otherObject(by, key, current, write)] };
}

/** What happened since, or why it is not known. */
async function readHistory(by: Explainer, key: string, write: OldVersion): Promise<ObjectHistory | Explanation> {
  const { store, histories } = by;
  const current = await foundEntry(by, key, write);
  if (current === undefined) return { causes: [] };
  if (!/^\d+$/.test(write.readAt)) return unknownVersion("it is none that this server gives");
  const readAt = Number(write.readAt) as Revision;
  if (readAt > store.revision) return unknownVersion("it is in the future");
  if (readAt < current.created) return { causes: [await otherObject(by, key, current, write)] };
  if (readAt < store.compacted) return { causes: [historyCompacted(by, current)] };
  const history = await histories.of({ key, readAt, current }, write.resource);
  return history ?? unknownVersion("nothing was written since, and it is not the object's own");
}

const unknownVersion = (why: string): Explanation => ({
  causes: [{ reason: "UnknownVersion", message: `this write names a version that the object never had: ${why}` }],
});

const compacted = "what changed since this write's version is no longer known";

function historyCompacted({ cache }: Explainer, current: Entry): StatusCause {
  const managers = describeManagers(cache.managedOf(current), 3);
  return { reason: "HistoryCompacted", message: managers === "" ? compacted : `${compacted}; managed fields tell of ${managers}` };
}

const notCompared = (last: KeyChange): StatusCause => ({
  reason: "NotCompared",
  message: `too large to compare; last written ${describeChange(last)}`,
});

const otherChange = (last: KeyChange): StatusCause => ({
  reason: "OtherChange",
  message: `written ${describeChange(last)} without a change of its fields`,
});

/** How far back the first change of an object is looked for. */
const maxSteps = 64;

async function otherObject({ store }: Explainer, key: string, { created }: Entry, { found }: StaleWrite): Promise<StatusCause> {
  const after = (created - 1) as Revision;
  const [first] = after < store.compacted ? [] : await store.history(key, { after, last: maxSteps });
  const by = first?.revision === created ? describeChange(first) : `at ${found.metadata?.creationTimestamp ?? "an unknown time"}`;
  return { reason: "OtherObject", message: `the object that this write is based on is gone; another was created under its name ${by}` };
}
