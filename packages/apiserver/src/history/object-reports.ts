/** What is said of one object's past: its versions, and who wrote its fields. */
import { leafFields, valueAt } from "@coxswain/apply";
import { badRequest, notFound, type ObjectBlame, type ObjectHistoryReport, type ObjectVersion } from "@coxswain/machinery";
import type { Exchange } from "../contracts/exchange.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { Blame } from "./blame.ts";
import type { HistoryServices } from "./history-services.ts";
import { describe, momentOf, requireKnown } from "./moment.ts";
import { changedPaths, describeVersion, describeWriter, type VersionOfObject, versionsOfObject } from "./object-versions.ts";

const defaultVersions = 50;
const maxVersions = 500;
/** More versions than blame goes through: what was written before counts as written by the first of them. */
const maxBlamed = 2_000;

/** The object that is asked about. */
export interface Asked {
  readonly resource: ServedResource;
  readonly key: string;
  readonly info: ResourceRequest;
}

/** @throws notFound(), gone(), badRequest() */
export async function historyOf(services: HistoryServices, { query }: Exchange, asked: Asked): Promise<ObjectHistoryReport> {
  const limit = limitOf(query);
  const { upTo, oldest, oldestAt } = await extentOf(services, query);
  const items: ObjectVersion[] = [];
  let version: VersionOfObject | undefined;
  let isMore = false;
  // The oldest that is shown differs from the one before it.
  for await (const before of versionsOfObject(services, asked, upTo)) {
    if (version !== undefined) items.push(describeVersion(asked.resource, version, before));
    version = before;
    isMore = items.length === limit;
    if (isMore) break;
  }
  if (version === undefined) throw notFound(asked.resource.groupResource, asked.info.name);
  if (!isMore) items.push(describeVersion(asked.resource, version, version.revision > oldest ? "absent" : undefined));
  return {
    kind: "ObjectHistory",
    apiVersion: "coxswain/v1",
    metadata: isMore ? { continue: String(Number(items.at(-1)?.resourceVersion) - 1) } : {},
    oldest: describe(oldest, oldestAt),
    items,
  };
}

/** @throws notFound(), gone() */
export async function blameOf(services: HistoryServices, { query }: Exchange, asked: Asked): Promise<ObjectBlame> {
  const { resource, info } = asked;
  const { upTo, oldest } = await extentOf(services, query);
  let newest: VersionOfObject | undefined;
  let version: VersionOfObject | undefined;
  let first: Write | undefined;
  let blame = new Blame<Write>([]);
  let seen = 0;
  for await (const before of versionsOfObject(services, asked, upTo)) {
    if (version?.object === undefined) {
      if (newest !== undefined || before.object === undefined) break;
      newest = before;
      blame = new Blame(leafFields(resource.type, before.object));
    } else {
      // What was before a deletion is another object.
      if (before.object === undefined) first = { version, before: "absent" };
      else blame.add({ version, before }, changedPaths(resource, before.object, version.object));
    }
    version = before;
    if (blame.isComplete || first !== undefined || ++seen === maxBlamed) break;
  }
  const current = newest?.object;
  if (newest === undefined || current === undefined) throw notFound(resource.groupResource, info.name);
  if (version?.object !== undefined) first ??= { version, before: version.revision > oldest && seen < maxBlamed ? "absent" : undefined };
  if (first !== undefined) blame.addRest(first);
  const fields = blame.fields.map(({ field, path, made }) => {
    const value = valueAt(resource.type, current, path);
    const by = describeWriter(made.version, made.before);
    return { field, ...(value === undefined ? {} : { value }), ...by, ...(made.before === undefined ? { orEarlier: true as const } : {}) };
  });
  return { kind: "ObjectBlame", apiVersion: "coxswain/v1", resourceVersion: String(newest.revision), fields };
}

/** A version with the one before it; undefined where that is not known. */
interface Write {
  readonly version: VersionOfObject;
  readonly before: VersionOfObject | "absent" | undefined;
}

async function extentOf(services: HistoryServices, query: URLSearchParams) {
  const { history } = services;
  const upTo = await momentOf(query, services);
  const { oldest = 0, oldestAt } = await history.status();
  if (upTo < oldest) await requireKnown(history, upTo);
  return { upTo, oldest, oldestAt };
}

/** @throws badRequest() */
function limitOf(query: URLSearchParams): number {
  const given = query.get("limit") ?? "";
  if (given === "" || given === "0") return defaultVersions;
  if (!/^\d{1,9}$/.test(given)) throw badRequest("limit must be a number of versions");
  return Math.min(Number(given), maxVersions);
}
