/**
 * Watches: which changes a client wants, from where on.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
import { badRequest, type RandomSource, tooLargeResourceVersion } from "@coxswain/machinery";
import type { Revision } from "@coxswain/store";
import type { Reply } from "../contracts/http.ts";
import type { Representation } from "../contracts/representation.ts";
import type { RequestContext, RequestHandler } from "../contracts/request-context.ts";
import { notStreamable } from "../negotiation/negotiate.ts";
import { parseSelection } from "../registry/selection.ts";
import { checkListOptions, type ListOptions, parseListOptions, parseResourceVersion } from "../request/options.ts";
import { type ReadableStore, type RevisionSource, waitForRevision } from "../storage/revision.ts";
import { prefixOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { parseIncludeObject } from "../table/table.ts";
import type { Start, WatchHub } from "../watch/hub.ts";

/** As kube-apiserver's. */
const defaultMinTimeoutMs = 30 * 60_000;

export interface WatchServices extends RevisionSource {
  readonly store: ReadableStore;
  readonly cache: ObjectCache;
  readonly random: RandomSource;
  readonly watches: WatchHub;
  /** Watches without a timeout of their own end between one and two of these times. */
  readonly minRequestTimeoutMs: number | undefined;
}

export const createWatch =
  (services: WatchServices): RequestHandler =>
  (ctx) =>
    watch(services, ctx);

async function watch(services: WatchServices, ctx: RequestContext): Promise<Reply> {
  const { cache, random, watches, minRequestTimeoutMs = defaultMinTimeoutMs } = services;
  const { resource, representation, info } = ctx;
  if (representation.encoding === "yaml") throw notStreamable();
  const options = parseListOptions(ctx.query);
  checkListOptions(options, true);
  const fieldSelector = options.fieldSelector === "" && info.name !== "" ? nameIs(info.name) : options.fieldSelector;
  const selection = parseSelection(resource, cache, options.labelSelector, fieldSelector);
  if (info.name !== "" && selection.name !== info.name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  const includeObject = representation.shape.as === "table" ? parseIncludeObject(ctx.query.get("includeObject")) : "Metadata";
  const prefix = prefixOf(resource, info.namespace);
  const start = await startOf(services, options, prefix);
  const timeoutMs = options.timeoutSeconds ? options.timeoutSeconds * 1000 : minRequestTimeoutMs * (1 + random.next());
  return {
    status: 200,
    contentType: contentTypeOf(representation),
    body: {
      kind: "stream",
      messages: representation.encoding === "protobuf" ? "lengths" : "lines",
      start: (sink) =>
        watches.serve(
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

/** Only the older paths under `/watch/` name an object. */
const nameIs = (name: string): string => `metadata.name=${name.replace(/[\\,=]/g, "\\$&")}`;

const contentTypeOf = ({ encoding }: Representation): string =>
  encoding === "protobuf" ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/json";

/** Where nothing is said, a watch begins with what is there, as if that had been asked for. */
async function startOf(services: Pick<WatchServices, "store" | "clock">, options: ListOptions, prefix: string): Promise<Start> {
  const { store } = services;
  if (options.resourceVersion === "" && (options.timeoutSeconds ?? 0) < 0) return { kind: "late" };
  const asked = parseResourceVersion(options.resourceVersion);
  const snapshot = options.sendInitialEvents ?? asked === 0;
  if (!snapshot) return { kind: "after", revision: asked === 0 ? store.revision : (asked as Revision) };
  if (asked > store.revision && !(await waitForRevision(services, asked))) throw tooLargeResourceVersion(asked, store.revision);
  const { revision, entries } = await store.list(prefix);
  return { kind: "snapshot", revision, entries };
}
