/** `GET /coxswain/v1/timeline`: all that happened to the objects that who asks may list, in pages. */
import type { ResourceRegistry } from "@coxswain/api";
import type { HistoryReader, VersionInfo } from "@coxswain/history";
import { badRequest, type TimelineObject, type TimelinePage, type TimelineWriter } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { NamedResource } from "../contracts/invariant.ts";
import { known } from "./moment.ts";
import { objectAt, resourcesByPrefix } from "./object-names.ts";
import { maxVersionsOfPage, TimelineVersions, type VersionServices } from "./timeline-versions.ts";

export interface TimelineServices extends VersionServices {
  readonly history: HistoryReader;
  readonly store: Pick<Store, "revision">;
  readonly registry: ResourceRegistry;
  readonly authorize: Authorizer;
}

const defaultLimit = 5_000;
const maxLimit = 20_000;

/**
 * The newest changes up to `upTo`, newest first; with `after` those after it, oldest first, and then with `objects=true` what each made of its
 * object. With `resource` and `group` of that resource alone. @throws badRequest(), gone()
 */
export async function timelineOf(services: TimelineServices, query: URLSearchParams, user: UserInfo): Promise<TimelinePage> {
  const { history, store } = services;
  const after = numberOf(query, "after");
  const hasObjects = after !== undefined && query.get("objects") === "true";
  const limit = Math.min(numberOf(query, "limit") ?? defaultLimit, hasObjects ? maxVersionsOfPage : maxLimit);
  const upTo = numberOf(query, "upTo");
  const newest = store.revision;
  const isNewestFirst = after === undefined;
  const range = { ...(after === undefined ? {} : { after }), upTo: upTo ?? newest, limit, isNewestFirst };
  const found = await known(history.changes(prefixIn(query, services.registry), range));
  const page = whole(found, limit);
  const { oldest, oldestAt } = await history.status();
  const tables = new Tables(services, user);
  const versions = hasObjects ? new TimelineVersions(services, page.changes) : undefined;
  let { next } = page;
  for (const change of page.changes) {
    if (versions?.isFull(change.revision) === true) {
      next = change.revision;
      break;
    }
    const object = await tables.add(change);
    if (object !== undefined) await versions?.add(change, object);
  }
  return {
    kind: "Timeline",
    apiVersion: "coxswain/v1",
    metadata: { resourceVersion: String(newest), ...(next === undefined ? {} : { continue: String(isNewestFirst ? next : next - 1) }) },
    ...(oldest === undefined ? {} : { oldest: { resourceVersion: String(oldest), ...(oldestAt ? { time: oldestAt } : {}) } }),
    objects: await tables.objects(),
    writers: tables.writers,
    changes: tables.changes,
    ...(versions === undefined ? {} : { versions: versions.all }),
  };
}

/** Changes of one revision are not parted: of the last one that may not be whole nothing is shown, and the next page begins with it. */
function whole(
  found: readonly VersionInfo[],
  limit: number,
): { readonly changes: readonly VersionInfo[]; readonly next: number | undefined } {
  const last = found.at(-1)?.revision;
  if (found.length < limit || last === undefined) return { changes: found, next: undefined };
  const changes = found.filter(({ revision }) => revision !== last);
  return changes.length === 0 ? { changes: found, next: last } : { changes, next: last };
}

const operations = { create: 0, update: 1, delete: 2 } as const;

class Tables {
  readonly writers: TimelineWriter[] = [];
  readonly changes: (readonly number[])[] = [];
  readonly #services: TimelineServices;
  readonly #user: UserInfo;
  readonly #prefixes: ReadonlyMap<string, NamedResource>;
  readonly #objects = new Map<string, { readonly index: number; readonly object: TimelineObject } | undefined>();
  readonly #shown: { readonly key: string; readonly object: TimelineObject }[] = [];
  readonly #writers = new Map<string, number>();
  readonly #allowed = new Map<string, boolean>();

  constructor(services: TimelineServices, user: UserInfo) {
    this.#services = services;
    this.#user = user;
    this.#prefixes = resourcesByPrefix(services.registry);
  }

  /** Which object it is of; undefined for one that is not shown. */
  async add({ key, revision, at, isDeletion, note }: VersionInfo): Promise<TimelineObject | undefined> {
    const found = this.#objects.has(key) ? this.#objects.get(key) : await this.#find(key);
    if (found === undefined) return undefined;
    const { user = "", manager = "", userAgent = "", verb = "" } = note ?? {};
    const operation = isDeletion ? operations.delete : verb === "create" ? operations.create : operations.update;
    const read = note?.readAt === undefined ? 0 : Number(note.readAt) || 0;
    this.changes.push([revision, at, found.index, this.#writer({ user, manager, userAgent, verb }), operation, read]);
    return found.object;
  }

  async objects(): Promise<readonly TimelineObject[]> {
    const identities = await this.#services.history.identitiesOf(this.#shown.map(({ key }) => key));
    return this.#shown.map(({ object }, i) => ({ ...object, ...identities[i] }));
  }

  async #find(key: string) {
    const object = objectAt(key, this.#prefixes);
    const isShown = object !== undefined && (await this.#mayList(object));
    const found = isShown ? { index: this.#shown.length, object } : undefined;
    if (isShown) this.#shown.push({ key, object });
    this.#objects.set(key, found);
    return found;
  }

  async #mayList({ group, version, resource, namespace = "" }: TimelineObject): Promise<boolean> {
    const name = `${group}/${resource}/${namespace}`;
    const known = this.#allowed.get(name);
    if (known !== undefined) return known;
    const asked = {
      kind: "resource",
      user: this.#user,
      verb: "list",
      group,
      version,
      resource,
      subresource: "",
      namespace,
      name: "",
    } as const;
    const isAllowed = (await this.#services.authorize(asked)).kind === "allow";
    this.#allowed.set(name, isAllowed);
    return isAllowed;
  }

  #writer(writer: TimelineWriter): number {
    const name = JSON.stringify(writer);
    const found = this.#writers.get(name);
    if (found !== undefined) return found;
    this.#writers.set(name, this.writers.length);
    return this.writers.push(writer) - 1;
  }
}

/** What the keys of the changes that are asked for begin with. @throws badRequest() */
function prefixIn(query: URLSearchParams, registry: ResourceRegistry): string {
  const resource = query.get("resource");
  if (resource === null) return "/";
  const prefix = registry.preferred(query.get("group") ?? "", resource)?.storagePrefix;
  if (prefix === undefined) throw badRequest(`no objects of ${JSON.stringify(resource)} are stored here`);
  return prefix;
}

/** @throws badRequest() */
function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name} must be a number`);
  return Number(text);
}
