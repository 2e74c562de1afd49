/**
 * Lists: a consistent snapshot, whole or in pages that share it.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
import { badRequest, decodeContinue, encodeContinue, expired, type ListMeta, tooLargeResourceVersion } from "@coxswain/machinery";
import { CompactedError, type Entry, FutureRevisionError, type ListResult, type Revision } from "@coxswain/store";
import type { RequestContext, RequestHandler } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { parseSelection, type Selection } from "../registry/selection.ts";
import { checkListOptions, type ListOptions, parseListOptions, parseResourceVersion } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { type ReadableStore, type RevisionSource, waitForRevision } from "../storage/revision.ts";
import { keyOf, prefixOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entriesAt } from "../storage/versions.ts";

export interface ListServices extends RevisionSource {
  readonly store: ReadableStore;
  readonly cache: ObjectCache;
  readonly eventLoop: EventLoop;
}

export function createList(services: ListServices & { readonly responses: ResponseWriter }): RequestHandler {
  const { cache, responses } = services;
  return async (ctx) => {
    const options = parseListOptions(ctx.query);
    checkListOptions(options, false);
    const selection = parseSelection(ctx.resource, cache, options.labelSelector, options.fieldSelector);
    const { entries, metadata } = await selectEntries(services, ctx, options, selection);
    return responses.list(ctx, entries, metadata);
  };
}

export interface Selected {
  readonly entries: readonly Entry[];
  readonly metadata: ListMeta;
}

/** The entries that a list or a deletecollection is about. */
export async function selectEntries(
  services: ListServices,
  ctx: RequestContext,
  options: ListOptions,
  selection: Selection,
): Promise<Selected> {
  const { resource, info } = ctx;
  const prefix = prefixOf(resource, info.namespace);
  const token = options.continue === "" ? undefined : decodeContinue(options.continue, prefix);
  const asked = parseResourceVersion(options.resourceVersion, (message) => badRequest(`invalid resource version: ${message}`));
  if (token !== undefined && asked !== 0) throw badRequest("specifying resource version is not allowed when using continue");
  const named = namedKey(ctx, selection);
  const at =
    token === undefined ? await snapshotAt(services, options, asked) : token.revision < 0 ? undefined : (token.revision as Revision);
  try {
    if (named !== undefined) return await selectOne(services, ctx.resource, named, { at, selection });
    const limit = token === undefined && isWhole(options, ctx) ? 0 : options.limit;
    return await selectPage(services, ctx.resource, prefix, { at, after: token?.start, limit, selection });
  } catch (error) {
    if (error instanceof FutureRevisionError) throw tooLargeResourceVersion(error.asked, error.current);
    if (!(error instanceof CompactedError)) throw error;
    if (token === undefined) throw expired(`The resourceVersion for the provided list is too old.`);
    throw expired(expiredContinue, { continue: encodeContinue({ revision: -1, start: token.start }, prefix) });
  }
}

/** Who takes any version is answered from Kubernetes' cache, which has no pages. Events are in none. */
const isWhole = ({ resourceVersion }: ListOptions, { resource }: RequestContext): boolean =>
  resourceVersion === "0" && resource.storage.prefix !== "/registry/events/";

const expiredContinue =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** Undefined is now. A version that the store has not reached is waited for a little. */
async function snapshotAt(services: RevisionSource, options: ListOptions, asked: number): Promise<Revision | undefined> {
  const { store } = services;
  if (asked === 0) return undefined;
  if (asked > store.revision && !(await waitForRevision(services, asked))) throw tooLargeResourceVersion(asked, store.revision);
  const exact = options.resourceVersionMatch === "Exact" || (options.resourceVersionMatch === "" && options.limit > 0);
  return exact ? (asked as Revision) : undefined;
}

/** A field selector on the name makes a list a lookup. */
function namedKey({ resource, info }: RequestContext, selection: Selection): string | undefined {
  if (selection.name === undefined || (resource.definition.namespaced && info.namespace === "")) return undefined;
  return keyOf(resource, info.namespace, selection.name);
}

async function selectOne(
  { store, cache }: ListServices,
  resource: ServedResource,
  key: string,
  { at, selection }: Pick<Page, "at" | "selection">,
): Promise<Selected> {
  const { revision, entry } = await store.get(key, at === undefined ? {} : { at });
  const found = await entriesAt(cache, entry === undefined ? [] : [entry], resource);
  return { entries: found.filter((one) => selection.matches(one)), metadata: { resourceVersion: String(revision) } };
}

interface Page {
  readonly at: Revision | undefined;
  readonly after: string | undefined;
  readonly limit: number;
  readonly selection: Selection;
}

/** Reads on until the page is full: with a selector the store's pages hold fewer entries than they have. */
async function selectPage(services: ListServices, resource: ServedResource, prefix: string, page: Page): Promise<Selected> {
  const { store, cache, eventLoop } = services;
  const { selection, limit } = page;
  const found: Entry[] = [];
  let { at, after } = page;
  for (;;) {
    const listed = await store.list(prefix, {
      ...(at === undefined ? {} : { at }),
      ...(after === undefined ? {} : { after }),
      ...(limit === 0 ? {} : { limit: limit - found.length }),
    });
    const { revision, remaining } = listed;
    const entries = await entriesAt(cache, listed.entries, resource);
    if (selection.all && found.length === 0) return { entries, metadata: metaOf(prefix, listed, entries, true) };
    for (const entry of entries) {
      const pause = eventLoop.yieldFor(entry.value.byteLength);
      if (pause !== undefined) await pause;
      if (selection.matches(entry)) found.push(entry);
    }
    if (remaining === 0 || found.length >= limit) return { entries: found, metadata: metaOf(prefix, listed, entries, selection.all) };
    at = revision;
    after = entries.at(-1)?.key;
  }
}

function metaOf(
  prefix: string,
  { revision, remaining }: Pick<ListResult, "revision" | "remaining">,
  read: readonly Entry[],
  countable: boolean,
): ListMeta {
  const last = read.at(-1);
  if (remaining === 0 || last === undefined) return { resourceVersion: String(revision) };
  return {
    resourceVersion: String(revision),
    continue: encodeContinue({ revision, start: last.key }, prefix),
    ...(countable ? { remainingItemCount: remaining } : {}),
  };
}
