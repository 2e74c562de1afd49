/**
 * Watches: which changes a client wants, from where on.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
import type { Revision } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../http/exchange.ts";
import { notStreamable, type Representation } from "../negotiate.ts";
import { checkListOptions, type ListOptions, parseListOptions, parseResourceVersion } from "../options.ts";
import { parseSelection } from "../registry/selection.ts";
import { prefixOf } from "../registry/served-resource.ts";
import { parseIncludeObject } from "../table/table.ts";
import type { Start } from "../watch/hub.ts";

const shortestDefaultMs = 30 * 60_000;

export async function watch(ctx: RequestContext): Promise<Reply> {
  const { server, resource, representation, info } = ctx;
  if (representation.encoding === "yaml") throw notStreamable();
  const options = parseListOptions(ctx.query);
  checkListOptions(options, true);
  const selection = parseSelection(resource, server.cache, options.labelSelector, options.fieldSelector);
  const includeObject = parseIncludeObject(ctx.query.get("includeObject"));
  const prefix = prefixOf(resource, info.namespace);
  const start = await startOf(ctx, options, prefix);
  const timeoutMs = options.timeoutSeconds ? options.timeoutSeconds * 1000 : shortestDefaultMs * (1 + server.random.next());
  return {
    status: 200,
    contentType: contentTypeOf(representation),
    body: {
      kind: "stream",
      start: (sink) =>
        server.watches.serve(
          {
            view: { resource, prefix, selection, representation: { ...representation, indent: false }, includeObject },
            start,
            bookmarks: options.allowWatchBookmarks,
            timeoutMs,
          },
          sink,
        ),
    },
  };
}

const contentTypeOf = ({ encoding }: Representation): string =>
  encoding === "protobuf" ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/json";

async function startOf(ctx: RequestContext, options: ListOptions, prefix: string): Promise<Start> {
  const { store } = ctx.server;
  const asked = parseResourceVersion(options.resourceVersion);
  const snapshot = options.sendInitialEvents ?? asked === 0;
  if (!snapshot) return { kind: "after", revision: asked === 0 ? store.revision : (asked as Revision) };
  const { revision, entries } = await store.list(prefix);
  return { kind: "snapshot", revision, entries, announceEnd: options.sendInitialEvents === true };
}
