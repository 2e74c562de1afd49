/** The writes that led to one that broke an invariant: a short story, newest last, of what is known. */
import type { HistoryReader, VersionInfo } from "@coxswain/history";
import type { ChainReason, ChainStep, ObjectName, ObservedRead } from "@coxswain/machinery";
import type { WriteNote } from "@coxswain/store";
import type { Read, ReadObserver, RelatedObjects } from "../contracts/invariant.ts";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import { objectAt } from "../history/object-names.ts";
import { describeVersion, editsBetween, type VersionOfObject, versionsOfObject } from "../history/object-versions.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { keyOf, prefixOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import type { ResourceNames } from "./state-at.ts";

export interface ChainServices {
  readonly history: HistoryReader;
  readonly served: ServedResources;
  readonly cache: ObjectCache;
  readonly eventLoop: EventLoop;
  readonly reads: ReadObserver | undefined;
}

/** A write that broke an invariant. */
export interface ViolatingWrite {
  readonly object: ObjectName;
  readonly revision: number;
  readonly note: WriteNote | undefined;
  /** Other resources that the invariant is about. */
  readonly related: readonly RelatedObjects[];
  /** Those of them that break it together with this one; undefined where that is not known. */
  readonly involved: readonly ObjectName[] | undefined;
}

/** More make no story. */
const max = { steps: 12, versions: 4, related: 4, involved: 6, owners: 3, reads: 4, fields: 16 } as const;
/** How far back the write of an owner is looked for that its object depends on. */
const ownerVersions = 16;

interface Link {
  readonly reason: ChainReason;
  readonly object: ObjectName;
  readonly resource: ServedResource;
  readonly version: VersionOfObject;
  readonly before: VersionOfObject | "absent" | undefined;
}

/** @throws TransformError, and the Status of a conversion that failed */
export async function chainOf(services: ChainServices, write: ViolatingWrite, names: ResourceNames): Promise<readonly ChainStep[]> {
  const resource = servedOf(services, write.object);
  if (resource === undefined) return [];
  const reads = readsOf(services, write);
  const [own, related, owners] = await Promise.all([
    ownVersions(services, write, resource, reads),
    relatedWrites(services, write, names, reads),
    ownerWrites(services, write, resource),
  ]);
  const known = new Map<string, Link>();
  // What is known of a write in two ways is told in the first.
  for (const link of [...own, ...owners, ...related]) {
    const name = `${link.version.revision} ${link.version.key}`;
    if (!known.has(name)) known.set(name, link);
  }
  const links = [...known.values()].sort((a, b) => a.version.revision - b.version.revision);
  return shortened(links).map((link) => stepOf(link, link.reason === "violates" ? reads : []));
}

function stepOf({ reason, object, resource, version, before }: Link, reads: readonly Read[]): ChainStep {
  const { readResourceVersion, ...described } = describeVersion(resource, version, before);
  const changes = described.changes ?? contentOf(resource, version, described.operation);
  const shown = reads.map(({ revision: _, group: __, ...read }): ObservedRead => read);
  return {
    reason,
    object,
    ...described,
    ...(readResourceVersion === undefined || isPatch(described.verb) ? {} : { readResourceVersion }),
    ...(changes === undefined ? {} : { changes: changes.slice(0, max.fields) }),
    ...(shown.length === 0 ? {} : { reads: shown }),
  };
}

/** What a new object consists of, but for its metadata. */
function contentOf(resource: ServedResource, { object }: VersionOfObject, operation: ChainStep["operation"]) {
  if (operation !== "create" || object === undefined) return undefined;
  const { kind, apiVersion, metadata } = object;
  return editsBetween(resource, { ...(kind && { kind }), ...(apiVersion && { apiVersion }), ...(metadata && { metadata }) }, object);
}

/** What came before is left out first. */
function shortened(links: readonly Link[]): readonly Link[] {
  const spare = links.length - max.steps;
  if (spare <= 0) return links;
  const before = links.filter(({ reason }) => reason === "before" || reason === "unseen").slice(0, spare);
  return links.filter((link) => !before.includes(link));
}

/** What the writer was seen to read of what the invariant is about; the latest last. */
function readsOf({ reads }: ChainServices, { object, revision, note, related }: ViolatingWrite): readonly Read[] {
  if (note?.user === undefined || reads === undefined) return [];
  return reads
    .of(note.user, note.userAgent ?? "", revision)
    .filter((read) => concerns(read, object) || related.some(({ group, resource }) => read.group === group && read.resource === resource))
    .slice(-max.reads);
}

const concerns = (read: Read, { group, resource, namespace, name }: ObjectName): boolean =>
  read.group === group &&
  read.resource === resource &&
  (read.namespace === undefined || read.namespace === namespace) &&
  (read.name === undefined || read.name === name);

/** Up to where a writer knew what is read so; undefined where that is not known. */
function knownUpTo(reads: readonly Read[]): number | undefined {
  const last = reads.at(-1);
  return last === undefined || reads.some(({ verb }) => verb === "watch") ? undefined : last.revision;
}

async function ownVersions(
  services: ChainServices,
  { object, revision, note }: ViolatingWrite,
  resource: ServedResource,
  reads: readonly Read[],
) {
  const seen = saidToHaveRead(note) ?? knownUpTo(reads.filter((read) => concerns(read, object)));
  const versions = await versionsAt(services, object, resource, { upTo: revision, limit: max.versions + 1 });
  const made = versions.slice(1).find((version) => seen !== undefined && version.revision <= seen);
  return versions.slice(0, max.versions).map((version, i): Link => {
    const isRead = version === made && version.object !== undefined;
    const reason = i === 0 ? "violates" : isRead ? "read" : seen !== undefined && version.revision > seen ? "unseen" : "before";
    return { reason, object, resource, version, before: versions[i + 1] ?? (versions.length > max.versions ? undefined : "absent") };
  });
}

/** The version that a write was based on. Patches have the version that the server has put them on: that their sender knew it is not said. */
function saidToHaveRead(note: WriteNote | undefined): number | undefined {
  const said = Number(note?.readAt);
  return Number.isSafeInteger(said) && said > 0 && !isPatch(note?.verb) ? said : undefined;
}

const isPatch = (verb = ""): boolean => /^(?:patch|apply)\b/.test(verb);

/** Newest first. */
async function versionsAt(
  services: ChainServices,
  object: ObjectName,
  resource: ServedResource,
  { upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<readonly VersionOfObject[]> {
  const versions: VersionOfObject[] = [];
  const key = keyOf(resource, object.namespace ?? "", object.name);
  for await (const version of versionsOfObject(services, { resource, key }, upTo)) {
    versions.push(version);
    if (versions.length >= limit) break;
  }
  return versions;
}

/** Of what else the invariant is about: those objects that break it together with this one, or else what was written last. */
async function relatedWrites(
  services: ChainServices,
  write: ViolatingWrite,
  names: ResourceNames,
  reads: readonly Read[],
): Promise<readonly Link[]> {
  const seenOf = ({ group, resource }: Pick<ObjectName, "group" | "resource">, name?: string): number | undefined =>
    knownUpTo(
      reads.filter((read) => read.group === group && read.resource === resource && (read.name === undefined || read.name === name)),
    );
  if (write.involved === undefined) return lastRelated(services, write, names, seenOf);
  const links: Link[] = [];
  for (const object of write.involved.slice(-max.involved)) {
    const resource = servedOf(services, object);
    const [version, before] =
      resource === undefined ? [] : await versionsAt(services, object, resource, { upTo: write.revision - 1, limit: 2 });
    if (resource === undefined || version === undefined) continue;
    const seen = seenOf(object, object.name);
    const reason = seen !== undefined && version.revision > seen ? "unseen" : "involved";
    links.push({ reason, object, resource, version, before: before ?? "absent" });
  }
  return links;
}

/** Those that the writer cannot have seen, or those right before. */
async function lastRelated(
  services: ChainServices,
  write: ViolatingWrite,
  names: ResourceNames,
  seenOf: (resource: Pick<ObjectName, "group" | "resource">) => number | undefined,
): Promise<readonly Link[]> {
  const links: Link[] = [];
  for (const related of write.related) {
    const { group, version, resource: plural, namespace = "" } = related;
    const resource = services.served.find(group, version, plural);
    if (resource === undefined) continue;
    const seen = seenOf(related);
    const found = await services.history.changes(prefixOf(resource, namespace), {
      ...(seen === undefined ? {} : { after: seen }),
      ...{ upTo: write.revision - 1, limit: max.related, isNewestFirst: true },
    });
    for (const info of found) {
      const link = await relatedLink(services, info, names, seen === undefined ? "before" : "unseen");
      if (link !== undefined) links.push(link);
    }
  }
  return links;
}

async function relatedLink(
  services: ChainServices,
  info: VersionInfo,
  names: ResourceNames,
  reason: ChainReason,
): Promise<Link | undefined> {
  const object = objectAt(info.key, names);
  const resource = object === undefined ? undefined : servedOf(services, object);
  if (object === undefined || resource === undefined) return undefined;
  const [version, before] = await versionsAt(services, object, resource, { upTo: info.revision, limit: 2 });
  return version === undefined ? undefined : { reason, object, resource, version, before: before ?? "absent" };
}

/** Of each object that controls it, the last write before that its controller acts on. */
async function ownerWrites(
  services: ChainServices,
  { object, revision }: ViolatingWrite,
  resource: ServedResource,
): Promise<readonly Link[]> {
  const links: Link[] = [];
  let below: { readonly object: ObjectName; readonly resource: ServedResource } = { object, resource };
  while (links.length < max.owners) {
    const [version] = await newestPresent(services, below.object, below.resource, revision);
    const owner = version?.object?.metadata?.ownerReferences?.find(({ controller }) => controller === true);
    const of = owner === undefined ? undefined : ownerOf(services, owner, below.object.namespace);
    if (of === undefined) break;
    const found = await decidingWrite(services, of, revision);
    if (found === undefined) break;
    links.push(found);
    below = of;
  }
  return links;
}

const newestPresent = async (services: ChainServices, object: ObjectName, resource: ServedResource, upTo: number) =>
  (await versionsAt(services, object, resource, { upTo, limit: 2 })).filter((version) => version.object !== undefined);

function ownerOf(
  services: ChainServices,
  { apiVersion, kind, name }: { apiVersion: string; kind: string; name: string },
  namespace: string | undefined,
) {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const resource = services.served.byKind(group, version, kind);
  if (resource === undefined) return undefined;
  const { definition } = resource;
  const place = definition.namespaced && namespace !== undefined ? { namespace } : {};
  return { object: { group, version, resource: definition.resource, kind, ...place, name }, resource };
}

/** The last that changed more than its status; else the oldest that was looked at. */
async function decidingWrite(
  services: ChainServices,
  { object, resource }: { readonly object: ObjectName; readonly resource: ServedResource },
  revision: number,
): Promise<Link | undefined> {
  const versions = await versionsAt(services, object, resource, { upTo: revision, limit: ownerVersions });
  const at = versions.findIndex((version, i) => generationOf(version) !== generationOf(versions[i + 1]));
  const version = versions[at];
  if (version === undefined) return undefined;
  const before = versions[at + 1] ?? (versions.length < ownerVersions ? "absent" : undefined);
  return { reason: "owner", object, resource, version, before };
}

const generationOf = (version: VersionOfObject | undefined): number | undefined => version?.object?.metadata?.generation;

const servedOf = ({ served }: ChainServices, { group, version, resource }: ObjectName): ServedResource | undefined =>
  served.find(group, version, resource);
