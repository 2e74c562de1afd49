import { isNotFound } from "@coxswain/machinery";
import type { RequestHandler } from "../contracts/request-context.ts";
import { decodeDeleteOptions } from "../negotiation/delete-options.ts";
import type { DeleteEntry } from "../registry/delete-entry.ts";
import { parseSelection } from "../registry/selection.ts";
import { checkListOptions, parseListOptions } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { type ListServices, selectEntries } from "./list.ts";

/** How many deletes of one request are under way at a time, so that they share commits. */
const workers = 64;

export interface DeleteCollectionServices extends ListServices {
  readonly responses: ResponseWriter;
  readonly deleteEntry: DeleteEntry;
}

/** Deletes what a list with the same selectors shows, each on its own; answers with the list. Not atomic. */
export function createDeleteCollection(services: DeleteCollectionServices): RequestHandler {
  const { cache, responses, deleteEntry } = services;
  return async (ctx) => {
    const listOptions = parseListOptions(ctx.query);
    checkListOptions(listOptions, false);
    const options = await decodeDeleteOptions(ctx);
    const selection = parseSelection(ctx.resource, cache, listOptions.labelSelector, listOptions.fieldSelector);
    const { entries, metadata } = await selectEntries(services, ctx, listOptions, selection);
    const pending = entries.values();
    const work = async (): Promise<void> => {
      for (const entry of pending) {
        await deleteEntry(ctx, entry, options).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    };
    await Promise.all(Array.from({ length: Math.min(workers, entries.length) }, work));
    return responses.list(ctx, entries, metadata);
  };
}
