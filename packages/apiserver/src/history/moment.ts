/** The moment that a request is about. */
import { type HistoryReader, HistoryUnknownError } from "@coxswain/history";
import { badRequest, failure, tooLargeResourceVersion } from "@coxswain/machinery";
import type { Revision, Store } from "@coxswain/store";

/** RFC 3339, to the second or finer. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * The revision that the parameter `at` names: a resourceVersion or a time, by default now.
 * @throws badRequest() for what is neither, gone() for what is no longer known
 */
export async function momentOf(query: URLSearchParams, store: Pick<Store, "revision">, history: HistoryReader): Promise<Revision> {
  const at = query.get("at") ?? "";
  if (at === "") return store.revision;
  if (/^\d{1,15}$/.test(at)) {
    const revision = Number(at);
    if (revision > store.revision) throw tooLargeResourceVersion(revision, store.revision);
    return revision as Revision;
  }
  const ms = time.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(ms)) throw badRequest("at must be a resourceVersion or a time as RFC 3339 has it");
  return (await known(history.revisionAt(ms))) as Revision;
}

/** What nobody knows any more is gone, in Kubernetes' sense. @throws gone() */
export async function known<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HistoryUnknownError) throw failure(410, "Expired", error.message);
    throw error;
  }
}
