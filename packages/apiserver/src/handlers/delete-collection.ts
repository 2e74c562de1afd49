import { isNotFound } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import { decodeDeleteOptions } from "../delete-options.ts";
import type { Reply } from "../http/exchange.ts";
import { checkListOptions, parseListOptions } from "../options.ts";
import { deleteObject } from "../registry/delete.ts";
import { parseSelection } from "../registry/selection.ts";
import { replyList } from "../respond-list.ts";
import { selectEntries } from "./list.ts";

/** How many deletes of one request are under way at a time, so that they share commits. */
const workers = 64;

/** Deletes what a list with the same selectors shows, each on its own; answers with the list. Not atomic. */
export async function deleteCollection(ctx: RequestContext): Promise<Reply> {
  const listOptions = parseListOptions(ctx.query);
  checkListOptions(listOptions, false);
  const options = await decodeDeleteOptions(ctx);
  const selection = parseSelection(ctx.resource, ctx.server.cache, listOptions.labelSelector, listOptions.fieldSelector);
  const { entries, metadata } = await selectEntries(ctx, listOptions, selection);
  const pending = entries.values();
  const work = async (): Promise<void> => {
    for (const entry of pending) {
      const { namespace, name } = placeOf(ctx, entry);
      await deleteObject(ctx, namespace, name, options).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, entries.length) }, work));
  return replyList(ctx, entries, metadata);
}

function placeOf({ resource }: RequestContext, entry: Entry): { namespace: string; name: string } {
  const rest = entry.key.slice(resource.prefix.length);
  const slash = rest.indexOf("/");
  return resource.definition.namespaced ? { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) } : { namespace: "", name: rest };
}
