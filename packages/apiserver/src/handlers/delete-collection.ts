import { isNotFound } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { decodeDeleteOptions } from "../negotiation/delete-options.ts";
import { deleteEntry } from "../registry/delete-entry.ts";
import { parseSelection } from "../registry/selection.ts";
import { checkListOptions, parseListOptions } from "../request/options.ts";
import { replyList } from "../responsewriters/write-object.ts";
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
      await deleteEntry(ctx, entry, options).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, entries.length) }, work));
  return replyList(ctx, entries, metadata);
}
