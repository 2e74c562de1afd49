/** The moment that a request is about. */
import { HistoryUnknownError } from "@coxswain/history";
import { badRequest, failure, type PastMoment, parseGoDuration, tooLargeResourceVersion } from "@coxswain/machinery";
import type { Revision } from "@coxswain/store";
import type { HistoryServices } from "./history-services.ts";

/** RFC 3339, to the second or finer. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

type MomentServices = Pick<HistoryServices, "store" | "history" | "clock">;

/**
 * The revision that the parameter `at` names: a resourceVersion, a time, or how long before now; by default now.
 * @throws badRequest() for what is none of these, gone() for what is no longer known
 */
export async function momentOf(query: URLSearchParams, { store, history, clock }: MomentServices): Promise<Revision> {
  const at = query.get("at") ?? "";
  if (at === "") return store.revision;
  if (/^\d{1,15}$/.test(at)) {
    const revision = Number(at);
    if (revision > store.revision) throw tooLargeResourceVersion(revision, store.revision);
    return revision as Revision;
  }
  return (await known(history.revisionAt(timeOf(at, clock.now())))) as Revision;
}

/** Which revision a moment was, and how far back it goes. @throws as momentOf */
export async function describeMoment(query: URLSearchParams, services: MomentServices): Promise<PastMoment> {
  const revision = await momentOf(query, services);
  const { history, store } = services;
  const { oldest = 0, oldestAt } = await history.status();
  if (revision < Math.min(oldest, store.compacted)) await requireKnown(history, revision);
  return {
    kind: "Moment",
    apiVersion: "coxswain/v1",
    ...describe(revision, await history.timeOf(revision)),
    oldest: describe(oldest, oldestAt),
  };
}

/** A revision and when it was written, where that is known. */
export const describe = (revision: number, at: number | undefined): PastMoment["oldest"] => ({
  resourceVersion: String(revision),
  ...(at === undefined || at === 0 ? {} : { time: new Date(at).toISOString() }),
});

/** @throws gone() that says how far back it goes */
export const requireKnown = async (history: HistoryServices["history"], revision: number): Promise<void> =>
  void (await known(history.get("", revision)));

/** What nobody knows any more is gone, in Kubernetes' sense. @throws gone() */
export async function known<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HistoryUnknownError) throw failure(410, "Expired", error.message);
    throw error;
  }
}

/** @throws badRequest() */
function timeOf(at: string, now: number): number {
  const duration = parseGoDuration(at);
  if (typeof duration === "number" && duration >= 0) return now - duration;
  const ms = time.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(ms)) throw badRequest("at must be a resourceVersion, a time as RFC 3339 has it, or a duration like 10m");
  return ms;
}
