/** All APIServices, and which groups and versions they give to other servers. */
import type { ResourceDefinition, ResourceRegistry } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ObjectReader } from "../storage/object-reader.ts";
import { type ApiService, type Backend, backendOf } from "./backend.ts";
import { groupVersionKey } from "./backend-discovery.ts";

export interface ApiServiceIndexOptions {
  readonly reader: ObjectReader;
  readonly registry: ResourceRegistry;
  /** What is served here until another server does. */
  readonly ownUntilThen: readonly ResourceDefinition[];
}

/** In discovery, higher ones come first. */
interface Priorities {
  readonly group: number;
  readonly version: number;
}

export type ApiServiceChange = (name: string, object: ApiService | undefined) => void;

export class ApiServiceIndex implements Disposable {
  readonly #options: ApiServiceIndexOptions;
  /** By the key of the APIService. */
  readonly #names = new Map<string, string>();
  readonly #priorities = new Map<string, Priorities>();
  readonly #backends = new Map<string, Backend>();
  #byGroupVersion: ReadonlyMap<string, Backend> = new Map();
  #subscription: Disposable | undefined;

  constructor(options: ApiServiceIndexOptions) {
    this.#options = options;
  }

  /** @param changed called for each APIService that is there, and from now on in the turn in which a change becomes visible */
  async start(changed: ApiServiceChange): Promise<void> {
    const { store, served } = this.#options.reader;
    const prefix = served.find("apiregistration.k8s.io", "v1", "apiservices")?.prefix;
    if (prefix === undefined) return;
    const { entries, revision } = await store.list(prefix);
    const records = entries.map((entry) => this.#record(entry));
    this.#settle();
    for (const { name, object } of records) changed(name, object);
    this.#subscription = store.subscribe(prefix, { after: revision }, ({ events }) => {
      const seen = events.map((event) => (event.type === "put" ? this.#record(event.entry) : this.#forget(event.key)));
      this.#settle();
      for (const { name, object } of seen) changed(name, object);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }

  /** Those that stand for another server. */
  get backends(): Iterable<Backend> {
    return this.#byGroupVersion.values();
  }

  get isEmpty(): boolean {
    return this.#byGroupVersion.size === 0;
  }

  find(group: string, version: string): Backend | undefined {
    return this.#byGroupVersion.get(groupVersionKey({ group, version }));
  }

  /** By the name of the APIService. */
  backend(name: string): Backend | undefined {
    return this.#backends.get(name);
  }

  /** The highest of its APIServices; undefined where there are none. */
  groupPriority(group: string): number | undefined {
    const found = [...this.#priorities].filter(([name]) => name.slice(name.indexOf(".") + 1) === group);
    return found.length === 0 ? undefined : Math.max(...found.map(([, priorities]) => priorities.group));
  }

  /** Undefined where no APIService is there for it. */
  versionPriority(group: string, version: string): number | undefined {
    return this.#priorities.get(`${version}.${group}`)?.version;
  }

  #record(entry: Entry): { readonly name: string; readonly object: ApiService } {
    const object = this.#options.reader.cache.objectOf(entry) as ApiService & KubeObject;
    const name = object.metadata?.name ?? "";
    this.#names.set(entry.key, name);
    this.#priorities.set(name, { group: object.spec?.groupPriorityMinimum ?? 0, version: object.spec?.versionPriority ?? 0 });
    const backend = backendOf(object);
    // What is built in stays: without it, nothing could be put right any more.
    if (backend === undefined || this.#options.registry.isBuiltIn(backend.group)) this.#backends.delete(name);
    else this.#backends.set(name, backend);
    return { name, object };
  }

  #forget(key: string): { readonly name: string; readonly object: undefined } {
    const name = this.#names.get(key) ?? "";
    this.#names.delete(key);
    this.#priorities.delete(name);
    this.#backends.delete(name);
    return { name, object: undefined };
  }

  #settle(): void {
    if (this.#backends.size > 0 || this.#byGroupVersion.size > 0)
      this.#byGroupVersion = new Map([...this.#backends.values()].map((backend) => [groupVersionKey(backend), backend]));
    this.#serveOwn();
  }

  #serveOwn(): void {
    const { registry, ownUntilThen } = this.#options;
    for (const definition of ownUntilThen) {
      const { group, version, resource } = definition;
      const isThere = registry.find(group, version, resource) === definition;
      if (this.find(group, version) !== undefined) registry.remove(group, version, resource);
      else if (!isThere) registry.set(definition);
    }
  }
}
