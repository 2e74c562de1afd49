/** What a recording has of a server, by its API: with the rights of who asks, and no others. */
import { type Client, type DiscoveredResource, isForbidden, StatusError } from "@coxswain/client";
import { type ConflictList, type KubeObject, type PastMoment, parseJson, qualifiedResource, type TimelinePage } from "@coxswain/machinery";
import type { RecordedRef, RecordedWriter, RecordingBody } from "./format.ts";

/** Which objects are recorded. */
export interface RecordingScope {
  /** Of these namespaces, their own objects counted; undefined: of all, and what is in none. */
  readonly namespaces?: readonly string[] | undefined;
  /** Of these resources; undefined: of all. */
  readonly resources?: readonly DiscoveredResource[] | undefined;
  /** Where objects are looked for by those who may not list them in all namespaces. */
  readonly ownNamespace: string;
}

/** A list that who records may have. */
interface Listed {
  readonly resource: DiscoveredResource;
  readonly namespace: string | undefined;
}

const pageSize = 500;
/** The server keeps so many conflicts. */
const maxConflicts = 256;

export class ServerRecorder {
  readonly #client: Client;
  readonly #scope: RecordingScope;
  readonly #conflicts = new Set<string>();

  constructor(client: Client, scope: RecordingScope) {
    this.#client = client;
    this.#scope = scope;
  }

  /** @throws StatusError */
  moment(at: string | undefined): Promise<PastMoment> {
    return this.#json<PastMoment>("/coxswain/v1/moment", { at });
  }

  /** Fails where who records may not ask what happened. @throws StatusError */
  async requireTimeline(at: string): Promise<void> {
    await this.#json("/coxswain/v1/timeline", { after: at, limit: "1" });
  }

  /** What can be listed of a state, and which resources cannot. */
  async lists(at: string): Promise<{ readonly lists: readonly Listed[]; readonly omitted: readonly string[] }> {
    const { resources } = await this.#client.discover();
    const lists: Listed[] = [];
    const omitted: string[] = [];
    for (const resource of resources) {
      if (!resource.preferred || !resource.verbs.includes("list") || qualifiedResource(resource) === eventsAgain) continue;
      const allowed = this.#isWanted(resource) ? await this.#listsOf(resource, at) : [];
      lists.push(...allowed);
      if (allowed.length === 0) omitted.push(qualifiedResource(resource));
    }
    return { lists, omitted };
  }

  /** All objects of a state. */
  async *state(at: string, lists: readonly Listed[]): AsyncGenerator<RecordingBody, void, undefined> {
    for (const list of lists) {
      for await (const object of this.#objects(list, at)) {
        const ref = refOf(list.resource, object);
        if (ref === undefined || !this.#isWantedRef(ref)) continue;
        yield { kind: "object", resourceVersion: Number(object.metadata?.resourceVersion ?? 0), ref, object };
      }
    }
  }

  /** All Secrets that there were at a state or since, for what must not be in a recording. */
  async *secrets(at: string, lists: readonly Listed[]): AsyncGenerator<KubeObject, void, undefined> {
    const ofSecrets = lists.filter(({ resource: { group, resource } }) => group === "" && resource === "secrets");
    for (const list of ofSecrets) yield* this.#objects(list, at);
    if (ofSecrets.length === 0) return;
    for await (const page of this.#pages(Number(at), { resource: "secrets" }))
      for (const { object } of page.versions ?? []) if (object !== undefined) yield object;
  }

  /** What happened after a revision and up to another, by default the newest; ends with the revision up to where that is all. */
  async *changes(after: number, upTo?: number): AsyncGenerator<RecordingBody, number, undefined> {
    let newest = after;
    for await (const page of this.#pages(after, upTo === undefined ? {} : { upTo: String(upTo) })) {
      yield* changesOf(page, (ref) => this.#isWantedRef(ref));
      newest = Number(page.metadata.resourceVersion);
    }
    return upTo ?? newest;
  }

  async *#pages(after: number, query: Readonly<Record<string, string>>): AsyncGenerator<TimelinePage, void, undefined> {
    for (let next: string | undefined = String(after); next !== undefined; ) {
      const page: TimelinePage = await this.#json("/coxswain/v1/timeline", { ...query, after: next, objects: "true" });
      yield page;
      next = page.metadata.continue;
    }
  }

  /** Conflicts that were not read before, oldest first. @param from milliseconds since the epoch */
  async *conflicts(from: number, to = Number.POSITIVE_INFINITY): AsyncGenerator<RecordingBody, void, undefined> {
    const { items } = (await unlessForbidden(this.#json<ConflictList>("/coxswain/v1/conflicts", { limit: String(maxConflicts) }))) ?? {
      items: [],
    };
    for (const conflict of items.toReversed()) {
      const { at, loser, object } = conflict;
      const id = `${loser.requestId} ${at}`;
      if (this.#conflicts.has(id) || Date.parse(at) < from || Date.parse(at) > to || !this.#isWantedRef(object)) continue;
      this.#conflicts.add(id);
      yield { kind: "conflict", conflict };
    }
  }

  /** Empty where nothing may be listed, or nothing is kept that could be. */
  async #listsOf(resource: DiscoveredResource, at: string): Promise<readonly Listed[]> {
    const { namespaces = [this.#scope.ownNamespace] } = this.#scope;
    const isEverywhere = !resource.namespaced || this.#scope.namespaces === undefined;
    if (isEverywhere && (await this.#mayList({ resource, namespace: undefined }, at))) return [{ resource, namespace: undefined }];
    if (!resource.namespaced) return [];
    const lists = namespaces.map((namespace) => ({ resource, namespace }));
    const allowed = await Promise.all(lists.map((list) => this.#mayList(list, at)));
    return lists.filter((_, i) => allowed[i]);
  }

  async #mayList(list: Listed, at: string): Promise<boolean> {
    try {
      await this.#page(list, { at, limit: "1" });
      return true;
    } catch (error) {
      if (error instanceof StatusError && [403, 404, 405].includes(error.code)) return false;
      throw error;
    }
  }

  async *#objects(list: Listed, at: string | undefined): AsyncGenerator<KubeObject, void, undefined> {
    const { kind, group, version } = list.resource;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    for (let next = ""; ; ) {
      const page = await this.#page(list, { at, limit: String(pageSize), ...(next === "" ? {} : { continue: next }) });
      for (const object of page.items ?? []) yield { kind, apiVersion, ...object };
      next = page.metadata?.continue ?? "";
      if (next === "") return;
    }
  }

  #page(
    { resource: { group, version, resource }, namespace }: Listed,
    query: Readonly<Record<string, string | undefined>>,
  ): Promise<ListAnswer> {
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return this.#json(
      `/coxswain/v1/past${root}${namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`}/${resource}`,
      query,
    );
  }

  #isWanted({ group, resource }: Pick<DiscoveredResource, "group" | "resource">): boolean {
    if (`${resource}.${group}` === definitions) return true;
    const { resources } = this.#scope;
    return resources === undefined || resources.some((one) => one.group === group && one.resource === resource);
  }

  /** Definitions go along always: without them, nobody can read their objects. */
  #isWantedRef({ group, resource, namespace, name }: Partial<RecordedRef> & Pick<RecordedRef, "group" | "resource">): boolean {
    if (!this.#isWanted({ group, resource })) return false;
    const { namespaces } = this.#scope;
    if (namespaces === undefined || `${resource}.${group}` === definitions) return true;
    return namespaces.includes((group === "" && resource === "namespaces" ? name : namespace) ?? "");
  }

  async #json<T>(path: string, parameters: Readonly<Record<string, string | undefined>>): Promise<T> {
    const query = new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    const answer = await this.#client.request({ method: "GET", path: `${path}?${query}`, headers: { accept: "application/json" } });
    return parseJson(await answer.bytes()) as T;
  }
}

/** Who may not see it does without. */
async function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
/** The same objects as those of the core group. */
const eventsAgain = "events.events.k8s.io";

interface ListAnswer {
  readonly items?: readonly KubeObject[];
  readonly metadata?: { readonly continue?: string };
}

function refOf({ group, version, resource, kind }: DiscoveredResource, { metadata = {} }: KubeObject): RecordedRef | undefined {
  const { namespace, name } = metadata;
  return name === undefined ? undefined : { group, version, resource, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

const operations = ["create", "update", "delete"] as const;

function* changesOf(
  { objects, writers, changes, versions = [] }: TimelinePage,
  isWanted: (ref: RecordedRef) => boolean,
): Iterable<RecordingBody> {
  for (const [i, [resourceVersion = 0, time = 0, object = -1, writer = -1, operation = 1, read = 0]] of changes.entries()) {
    const { uid: _, owner: __, ...ref } = objects[object] ?? { group: "", version: "", resource: "", kind: "", name: "" };
    if (ref.name === "" || !isWanted(ref)) continue;
    const version = versions[i] ?? {};
    const by: RecordedWriter = {
      ...Object.fromEntries(Object.entries(writers[writer] ?? {}).filter(([, value]) => value !== "")),
      ...(version.requestID === undefined ? {} : { requestID: version.requestID }),
      ...(read === 0 ? {} : { readResourceVersion: String(read) }),
    };
    const made = operations[operation] ?? "update";
    if (made !== "delete" && version.object === undefined) continue;
    yield {
      ...{ kind: "change", resourceVersion, time: Math.floor(time), operation: made, ref, by },
      ...(made === "delete" ? {} : { object: version.object as KubeObject }),
    };
  }
}
