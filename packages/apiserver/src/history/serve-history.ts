/**
 * `GET /coxswain/v1/past/PATH?at=`, `/coxswain/v1/history/PATH` and `/coxswain/v1/blame/PATH`, where PATH is that of an object or, of the past, a
 * list: whoever may read it now may read what it was.
 */
import type { ResourceRegistry } from "@coxswain/api";
import { valueAt } from "@coxswain/apply";
import type { HistoryReader } from "@coxswain/history";
import {
  badRequest,
  type Clock,
  methodNotAllowed,
  notFound,
  type ObjectBlame,
  type ObjectHistoryReport,
  unknownPath,
} from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { Exchange } from "../contracts/exchange.ts";
import type { HistoryReport } from "../contracts/history-report.ts";
import type { Reply } from "../contracts/http.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import { createGet } from "../handlers/get.ts";
import { createList } from "../handlers/list.ts";
import { createResourceHandler } from "../handlers/serve-resource.ts";
import type { Verbs } from "../handlers/verbs.ts";
import { bytesReply } from "../http/exchange.ts";
import { ResponseWriter } from "../responsewriters/response-writer.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { blame, nothingOf } from "./blame.ts";
import { known, momentOf } from "./moment.ts";
import { changedPaths, describeVersion, type VersionOfObject, versionsOfObject } from "./object-versions.ts";
import { pastStore } from "./past-store.ts";

export interface HistoryServices {
  readonly history: HistoryReader;
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly registry: Pick<ResourceRegistry, "find" | "isBuiltIn">;
  readonly served: Pick<ServedResources, "of" | "find">;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
}

const defaultVersions = 50;
const maxVersions = 500;
/** More versions than blame goes through: what was written before counts as written by the first of them. */
const maxBlamed = 2_000;

export async function serveHistory(
  services: HistoryServices,
  exchange: Exchange,
  { info, report }: { readonly info: ResourceRequest; readonly report: HistoryReport },
): Promise<Reply> {
  if (info.verb !== "get" && info.verb !== "list") throw methodNotAllowed();
  if (info.subresource !== "") throw unknownPath();
  if (report === "past") return known(servePast(services, exchange, info));
  if (info.verb !== "get") throw badRequest("the name of one object is needed");
  const resource = services.served.find(info.group, info.version, info.resource);
  if (resource === undefined) throw unknownPath();
  const object = { resource, key: keyOf(resource, resource.definition.namespaced ? info.namespace : "", info.name) };
  const made = await known<ObjectHistoryReport | ObjectBlame>(
    report === "history" ? historyOf(services, exchange, { ...object, info }) : blameOf(services, exchange, { ...object, info }),
  );
  return bytesReply(200, "application/json", Buffer.from(`${JSON.stringify(made, undefined, 2)}\n`));
}

/** As the same path is answered now, with the ages that things had then. */
async function servePast(
  { history, store, cache, registry, served, clock, eventLoop }: HistoryServices,
  exchange: Exchange,
  info: ResourceRequest,
): Promise<Reply> {
  const revision = await momentOf(exchange.query, store, history);
  const [last] = await history.changes("", { upTo: revision, after: revision - 1, limit: 1 });
  const now = last?.at ?? clock.now();
  const then = pastStore(store, history, revision);
  const responses = new ResponseWriter({ cache, clock: { now: () => now }, eventLoop });
  const reads = { store: then, clock, responses };
  const verbs: Verbs = { ...readOnly, get: createGet(reads), list: createList({ ...reads, cache, eventLoop }) };
  const query = new URLSearchParams(exchange.query);
  for (const name of ["at", "resourceVersion", "resourceVersionMatch", "watch"]) query.delete(name);
  return createResourceHandler({ registry, served, verbs, effects: noEffects, limits: undefined })({ ...exchange, query }, info);
}

const refuse = (): never => {
  throw methodNotAllowed();
};
const readOnly = { watch: refuse, create: refuse, update: refuse, patch: refuse, delete: refuse, deletecollection: refuse };
const noEffects = { resource: () => undefined, subresource: () => undefined };

interface Asked {
  readonly resource: ServedResource;
  readonly key: string;
  readonly info: ResourceRequest;
}

async function historyOf({ history, store, cache }: HistoryServices, { query }: Exchange, asked: Asked): Promise<ObjectHistoryReport> {
  const limit = limitOf(query);
  const upTo = await momentOf(query, store, history);
  // One more than is shown: the oldest that is shown differs from it.
  const versions = await versionsOfObject(history, cache, asked, { upTo, limit: limit + 1 });
  if (versions.length === 0) throw notFound(asked.resource.groupResource, asked.info.name);
  const { oldest = 0, oldestAt } = await history.status();
  const items = versions.slice(0, limit).map((version, i) => {
    const before = versions[i + 1] ?? (version.revision > oldest ? "absent" : undefined);
    return describeVersion(asked.resource, version, before);
  });
  const isMore = versions.length > limit;
  return {
    kind: "ObjectHistory",
    apiVersion: "coxswain/v1",
    metadata: isMore ? { continue: String(Number(items.at(-1)?.resourceVersion) - 1) } : {},
    oldest: {
      resourceVersion: String(oldest),
      ...(oldestAt === undefined || oldestAt === 0 ? {} : { time: new Date(oldestAt).toISOString() }),
    },
    items,
  };
}

async function blameOf({ history, store, cache }: HistoryServices, { query }: Exchange, asked: Asked): Promise<ObjectBlame> {
  const { resource, info } = asked;
  const upTo = await momentOf(query, store, history);
  const versions = await versionsOfObject(history, cache, asked, { upTo, limit: maxBlamed });
  const [newest] = versions;
  if (newest?.object === undefined) throw notFound(resource.groupResource, info.name);
  const { oldest = 0 } = await history.status();
  const life = sinceItsCreation(versions);
  const first = life[0];
  const isWhole = first !== undefined && first.revision > oldest && versions.length < maxBlamed;
  const writes = life.map((version, i) => {
    const object = version.object ?? {};
    return { made: version, changes: changedPaths(resource, life[i - 1]?.object ?? nothingOf(object), object) };
  });
  const current = newest.object;
  const fields = blame(writes).map(({ field, path, made }) => {
    const { changes: _, ...by } = describeVersion(resource, made, made === first && isWhole ? "absent" : undefined);
    const value = valueAt(resource.type, current, path);
    return { field, ...(value === undefined ? {} : { value }), ...by, ...(made === first && !isWhole ? { orEarlier: true as const } : {}) };
  });
  return { kind: "ObjectBlame", apiVersion: "coxswain/v1", resourceVersion: String(newest.revision), fields };
}

/** Oldest first: what was before a deletion is another object. */
function sinceItsCreation(versions: readonly VersionOfObject[]): readonly VersionOfObject[] {
  const deleted = versions.findIndex(({ isDeletion }) => isDeletion);
  return (deleted < 0 ? versions : versions.slice(0, deleted)).toReversed();
}

/** @throws badRequest() */
function limitOf(query: URLSearchParams): number {
  const given = query.get("limit") ?? "";
  if (given === "" || given === "0") return defaultVersions;
  if (!/^\d{1,9}$/.test(given)) throw badRequest("limit must be a number of versions");
  return Math.min(Number(given), maxVersions);
}
