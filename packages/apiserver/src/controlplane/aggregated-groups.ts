/**
 * Groups and versions that an APIService gives to another server. Nothing is passed on to it, so requests are answered as for
 * one that cannot be reached; nothing that is served here takes its place either.
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import type { apiregistrationV1, ResourceDefinition, ResourceRegistry } from "@coxswain/api";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { Reply } from "../contracts/http.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import { textReply } from "../http/exchange.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

interface AggregatedGroupsOptions {
  readonly reader: ObjectReader;
  readonly registry: ResourceRegistry;
  /** What is served here until another server does. */
  readonly ownUntilThen: readonly ResourceDefinition[];
}

export class AggregatedGroups implements Disposable {
  readonly #options: AggregatedGroupsOptions;
  /** `group/version` by the key of the APIService. */
  readonly #aggregated = new Map<string, string>();
  #subscription: Disposable | undefined;

  constructor(options: AggregatedGroupsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { store, served } = this.#options.reader;
    const prefix = served.find("apiregistration.k8s.io", "v1", "apiservices")?.prefix;
    if (prefix === undefined) return;
    const { entries, revision } = await store.list(prefix);
    for (const entry of entries) this.#record(entry);
    this.#serveOwn();
    this.#subscription = store.subscribe(prefix, { after: revision }, ({ events }) => {
      for (const event of events) this.#apply(event);
      this.#serveOwn();
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }

  /** The answer to a request below `/apis/GROUP/VERSION`, where that is not for this server to give. */
  answer(info: RequestInfo): Reply | undefined {
    if (this.#aggregated.size === 0) return undefined;
    // As the path was decoded: it may be written in many ways.
    const [apis, group = "", version = ""] = info.kind === "path" ? info.segments : ["apis", info.group, info.version];
    return apis === "apis" && this.#has(group, version) ? textReply(503, "service unavailable\n") : undefined;
  }

  #has(group: string, version: string): boolean {
    const groupVersion = `${group}/${version}`;
    return [...this.#aggregated.values()].includes(groupVersion);
  }

  #apply(event: StoreEvent): void {
    if (event.type === "put") this.#record(event.entry);
    else this.#aggregated.delete(event.key);
  }

  #record(entry: Entry): void {
    const { spec } = this.#options.reader.cache.objectOf(entry) as Readonly<apiregistrationV1.APIService>;
    const { group = "", version = "", service } = spec ?? {};
    // What is built in stays: without it, nothing could be put right any more.
    if (service === undefined || this.#options.registry.isBuiltIn(group)) this.#aggregated.delete(entry.key);
    else this.#aggregated.set(entry.key, `${group}/${version}`);
  }

  #serveOwn(): void {
    const { registry, ownUntilThen } = this.#options;
    for (const definition of ownUntilThen) {
      const { group, version, resource } = definition;
      const isThere = registry.find(group, version, resource) === definition;
      if (this.#has(group, version)) registry.remove(group, version, resource);
      else if (!isThere) registry.set(definition);
    }
  }
}
