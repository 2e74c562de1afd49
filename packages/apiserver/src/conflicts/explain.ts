/** Why a write is refused: what happened to its object since the version that the write names. */
import type { StatusCause } from "@coxswain/machinery";
import { CompactedError, type Entry, type KeyChange, type Revision, type Store } from "@coxswain/store";
import { keyOf } from "../registry/served-resource.ts";
import type { ObjectCache } from "../registry/stored-object.ts";
import { describeChange, describeManagers } from "./cause-text.ts";
import { causesOf } from "./meaning.ts";
import { mostBytes, type Past, type Pasts } from "./past.ts";
import type { OldVersion, StaleWrite } from "./stale-write.ts";

export interface Explanation {
  readonly causes: readonly StatusCause[];
  /** How often the object was written since the writer had read it, where it was counted. */
  readonly behindBy?: number;
}

export interface Explainer {
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly pasts: Pasts;
}

/** `sentBytes`: the size of the write's body. */
export async function explain(by: Explainer, write: StaleWrite, sentBytes: number): Promise<Explanation> {
  const { resource, found } = write;
  const { namespace = "", name = "", resourceVersion = "" } = found.metadata ?? {};
  const key = keyOf(resource, namespace, name);
  const known = write.names === "version" ? by.pasts.known(key, write.readAt, resourceVersion, resource) : undefined;
  if (known !== undefined && write.names === "version") return tell(by, known, write, sentBytes);
  try {
    const { entry: current } = await by.store.get(key, { at: Number(resourceVersion) as Revision });
    if (current === undefined) return { causes: [] };
    if (write.names === "uid") return { causes: [await tellOtherObject(by, key, current, write)] };
    if (!/^\d+$/.test(write.readAt)) return unknownVersion("it is none that this server gives");
    const readAt = Number(write.readAt) as Revision;
    if (readAt > by.store.revision) return unknownVersion("it is in the future");
    if (readAt < current.created) return { causes: [await tellOtherObject(by, key, current, write)] };
    if (readAt < by.store.compacted) return { causes: [tellCompacted(by, current)] };
    const past = await by.pasts.of({ key, readAt, current }, resource);
    if (past === undefined) return unknownVersion("nothing was written since, and it is not the object's own");
    return await tell(by, past, write, sentBytes);
  } catch (error) {
    if (error instanceof CompactedError) return { causes: [{ reason: "HistoryCompacted", message: compacted }] };
    throw error;
  }
}

async function tell({ cache }: Explainer, past: Past, write: OldVersion, sentBytes: number): Promise<Explanation> {
  const { fields, behindBy, last, read } = past;
  const strange = String(read.modified) === write.readAt ? [] : unknownVersion("it may be a list's").causes;
  const counted = behindBy === undefined ? {} : { behindBy };
  if (fields === undefined || sentBytes > mostBytes.one) return { causes: [...strange, tellTooLarge(last)], ...counted };
  const causes = fields.length === 0 ? [tellNothing(last)] : await causesOf(fields, past, write, cache);
  return { causes: strange.length === 0 ? causes : [...strange, ...causes], ...counted };
}

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

const tellNothing = (last: KeyChange): StatusCause => ({
  reason: "OtherChange",
  message: `written ${describeChange(last)} without a change of its fields`,
});

/** How far back the first change of an object is looked for. */
const mostSteps = 64;

async function tellOtherObject({ store }: Explainer, key: string, { created }: Entry, { found }: StaleWrite): Promise<StatusCause> {
  const after = (created - 1) as Revision;
  const [first] = after < store.compacted ? [] : await store.history(key, { after, last: mostSteps });
  const by = first?.revision === created ? describeChange(first) : `at ${found.metadata?.creationTimestamp ?? "an unknown time"}`;
  return { reason: "OtherObject", message: `the object that this write is based on is gone; another was created under its name ${by}` };
}
