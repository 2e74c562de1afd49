/** Why a write is refused: what happened to its object since the version that the write names. */
import type { StatusCause } from "@coxswain/machinery";
import { CompactedError, type Entry, type KeyChange, type Revision, type Store } from "@coxswain/store";
import { keyOf } from "../registry/served-resource.ts";
import type { ObjectCache } from "../registry/stored-object.ts";
import { entriesAt, isConverted, isInVersion } from "../registry/versions.ts";
import { describeChange, describeManagers } from "./cause-text.ts";
import { endPoints, explainFields, type Span } from "./explain-fields.ts";
import type { RevisionChanges } from "./revision-changes.ts";
import type { OldVersion, StaleWrite } from "./stale-write.ts";

export interface Explanation {
  readonly causes: readonly StatusCause[];
  /** How often the object was written since the writer had read it, where it was counted. */
  readonly behindBy?: number;
}

export interface Explainer {
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly changes: RevisionChanges;
}

/** How many changes are counted, and looked at one by one. */
const mostChanges = 64;
/** Stored bytes beyond which objects are not compared, and of all that are looked at, about. */
const mostBytes = { one: 256 * 1024, together: 1024 * 1024 };

/** `sentBytes`: the size of the write's body. */
export async function explain(by: Explainer, write: StaleWrite, sentBytes: number): Promise<Explanation> {
  const { resource, found } = write;
  const { namespace = "", name = "", resourceVersion = "" } = found.metadata ?? {};
  const key = keyOf(resource, namespace, name);
  try {
    const foundAt = Number(resourceVersion) as Revision;
    const { entry: current } = await by.store.get(key, { at: foundAt });
    if (current === undefined) return nothing;
    if (write.names === "uid") return { causes: [await tellOtherObject(by, key, current, write)] };
    if (!/^\d+$/.test(write.readAt)) return unknownVersion("it is none that this server gives");
    const readAt = Number(write.readAt) as Revision;
    if (readAt < current.created) return { causes: [await tellOtherObject(by, key, current, write)] };
    if (readAt > by.store.revision) return unknownVersion("it is in the future");
    if (readAt < by.store.compacted) return { causes: [tellCompacted(by, current)] };
    return await explainSince(by, write, { key, readAt, current, sentBytes });
  } catch (error) {
    if (error instanceof CompactedError) return { causes: [{ reason: "HistoryCompacted", message: compacted }] };
    throw error;
  }
}

const nothing: Explanation = { causes: [] };

interface Since {
  readonly key: string;
  readonly readAt: Revision;
  readonly current: Entry;
  readonly sentBytes: number;
}

async function explainSince(by: Explainer, write: OldVersion, { key, readAt, current, sentBytes }: Since): Promise<Explanation> {
  const { entry: read } = await by.store.get(key, { at: readAt });
  const largest = read === undefined ? sizeOf(current) : Math.max(sizeOf(read), sizeOf(current));
  const most = Math.min(mostChanges, Math.floor(mostBytes.together / largest));
  const history = await by.store.history(key, { after: readAt, last: most + 1 });
  const changes = history.filter(({ revision }) => revision <= current.modified);
  const last = changes.at(-1);
  if (read === undefined || last === undefined) return unknownVersion("nothing was written since, and it is not the object's own");
  const counted = changes.length <= most ? { behindBy: changes.length } : {};
  const strange = read.modified === readAt ? [] : unknownVersion("it may be a list's").causes;
  if (Math.max(sentBytes, largest) > mostBytes.one) return { ...counted, causes: [...strange, tellTooLarge(last)] };
  const span = await spanOf(by, write, { read, current, steps: changes.length > most ? endPoints : changes });
  return { ...counted, causes: [...strange, ...(await explainFields(by, write, span, last))] };
}

/** The same with entries in the version that is wanted: only the two ends where a webhook has to be asked. */
async function spanOf({ cache }: Explainer, { resource }: StaleWrite, span: Span): Promise<Span> {
  const { read, current, steps } = span;
  const entries = [read, current, ...(steps === endPoints ? [] : steps.flatMap(({ entry }) => entry ?? []))];
  if (!isConverted(resource) || entries.every((entry) => isInVersion(cache, entry, resource))) return span;
  const [first = read, second = current] = await entriesAt(cache, [read, current], resource);
  return { read: first, current: second, steps: endPoints };
}

const sizeOf = ({ value }: Entry): number => value.byteLength;

const unknownVersion = (why: string): Explanation => ({
  causes: [{ reason: "UnknownVersion", message: `this write names a version that the object never had: ${why}` }],
});

const compacted = "what changed since this write's version is no longer known";

function tellCompacted({ cache }: Explainer, current: Entry): StatusCause {
  const managers = describeManagers(cache.managedOf(current), 3);
  return { reason: "HistoryCompacted", message: managers === "" ? compacted : `${compacted}; managed fields tell of ${managers}` };
}

const tellTooLarge = (last: KeyChange): StatusCause => ({
  reason: "NotCompared",
  message: `too large to compare; last written ${describeChange(last)}`,
});

async function tellOtherObject({ store }: Explainer, key: string, { created }: Entry, { found }: StaleWrite): Promise<StatusCause> {
  const after = (created - 1) as Revision;
  const [first] = after < store.compacted ? [] : await store.history(key, { after, last: mostChanges });
  const by = first?.revision === created ? describeChange(first) : `at ${found.metadata?.creationTimestamp ?? "an unknown time"}`;
  return {
    reason: "OtherObject",
    message: `the object that this write is based on is gone; another was created under its name ${by}`,
  };
}
