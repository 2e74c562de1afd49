/**
 * `GET /coxswain/v1/moment?at=`, and `/coxswain/v1/past/PATH?at=`, `/coxswain/v1/history/PATH` and `/coxswain/v1/blame/PATH`, where PATH is
 * that of an object or, of the past, a list: whoever may read it now may read what it was.
 */
import { leafFields, valueAt } from "@coxswain/apply";
import { badRequest, methodNotAllowed, notFound, type ObjectBlame, type ObjectHistoryReport, unknownPath } from "@coxswain/machinery";
import type { Exchange } from "../contracts/exchange.ts";
import type { HistoryReport } from "../contracts/history-report.ts";
import type { Reply } from "../contracts/http.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { bytesReply } from "../http/exchange.ts";
import { keyOf } from "../storage/served-resource.ts";
import { blame, nothingOf } from "./blame.ts";
import type { HistoryServices } from "./history-services.ts";
import { describe, describeMoment, known, momentOf, requireKnown } from "./moment.ts";
import { changedPaths, describeVersion, type VersionOfObject, versionsOfObject } from "./object-versions.ts";
import { servePast } from "./serve-past.ts";

const defaultVersions = 50;
const maxVersions = 500;
/** More versions than blame goes through: what was written before counts as written by the first of them. */
const maxBlamed = 2_000;

export async function serveHistory(services: HistoryServices, exchange: Exchange, report: HistoryReport): Promise<Reply> {
  const { info } = exchange;
  if (report === "moment") return servedMoment(services, exchange);
  if (info.kind !== "resource") throw unknownPath();
  if (report === "past") return known(servePast(services, exchange, info));
  if (info.subresource !== "") throw unknownPath();
  if (info.verb !== "get" && info.verb !== "list") throw methodNotAllowed();
  if (info.verb === "list") throw badRequest("the name of one object is needed");
  const resource = services.served.find(info.group, info.version, info.resource);
  if (resource === undefined) throw unknownPath();
  const object = { resource, key: keyOf(resource, resource.definition.namespaced ? info.namespace : "", info.name), info };
  const made = report === "history" ? historyOf(services, exchange, object) : blameOf(services, exchange, object);
  return json(await known<ObjectHistoryReport | ObjectBlame>(made));
}

async function servedMoment(services: HistoryServices, { request, query }: Exchange): Promise<Reply> {
  if (request.method !== "GET") throw methodNotAllowed();
  return json(await known(describeMoment(query, services)));
}

const json = (report: object): Reply => bytesReply(200, "application/json", Buffer.from(`${JSON.stringify(report, undefined, 2)}\n`));

interface Asked {
  readonly resource: ServedResource;
  readonly key: string;
  readonly info: ResourceRequest;
}

async function historyOf(services: HistoryServices, { query }: Exchange, asked: Asked): Promise<ObjectHistoryReport> {
  const { history, cache } = services;
  const limit = limitOf(query);
  const upTo = await momentOf(query, services);
  const { oldest = 0, oldestAt } = await history.status();
  if (upTo < oldest) await requireKnown(history, upTo);
  // One more than is shown: the oldest that is shown differs from it.
  const versions = await versionsOfObject(history, cache, asked, { upTo, limit: limit + 1 });
  if (versions.length === 0) throw notFound(asked.resource.groupResource, asked.info.name);
  const items = versions.slice(0, limit).map((version, i) => {
    const before = versions[i + 1] ?? (version.revision > oldest ? "absent" : undefined);
    return describeVersion(asked.resource, version, before);
  });
  const isMore = versions.length > limit;
  return {
    kind: "ObjectHistory",
    apiVersion: "coxswain/v1",
    metadata: isMore ? { continue: String(Number(items.at(-1)?.resourceVersion) - 1) } : {},
    oldest: describe(oldest, oldestAt),
    items,
  };
}

async function blameOf(services: HistoryServices, { query }: Exchange, asked: Asked): Promise<ObjectBlame> {
  const { history, cache } = services;
  const { resource, info } = asked;
  const upTo = await momentOf(query, services);
  const { oldest = 0 } = await history.status();
  if (upTo < oldest) await requireKnown(history, upTo);
  const versions = await versionsOfObject(history, cache, asked, { upTo, limit: maxBlamed });
  const [newest] = versions;
  if (newest?.object === undefined) throw notFound(resource.groupResource, info.name);
  const life = sinceItsCreation(versions);
  const first = life[0];
  const isWhole = first !== undefined && first.revision > oldest && versions.length < maxBlamed;
  const writes = life.map((version, i) => {
    const object = version.object ?? {};
    return { made: version, changes: changedPaths(resource, life[i - 1]?.object ?? nothingOf(object), object) };
  });
  const current = newest.object;
  const fields = blame(leafFields(resource.type, current), writes).map(({ field, path, made }) => {
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
