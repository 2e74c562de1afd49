/**
 * Groups and versions that an APIService gives to another server. Nothing is passed on to it, so requests are answered as for
 * one that cannot be reached; nothing that is served here takes its place either.
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import type { apiregistrationV1, ResourceDefinition } from "@coxswain/api";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ServerContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import { textReply } from "../http/exchange.ts";

type Server = Pick<ServerContext, "store" | "served" | "cache" | "registry">;

export class AggregatedGroups implements Disposable {
  readonly #server: Server;
  /** What is served here until somebody else does. */
  readonly #ownUntilThen: readonly ResourceDefinition[];
  /** `group/version` by the key of the APIService. */
  readonly #aggregated = new Map<string, string>();
  #subscription: Disposable | undefined;

  constructor(server: Server, ownUntilThen: readonly ResourceDefinition[]) {
    this.#server = server;
    this.#ownUntilThen = ownUntilThen;
  }

  async start(): Promise<void> {
    const { store, served } = this.#server;
    const prefix = served.find("apiregistration.k8s.io", "v1", "apiservices")?.prefix;
    if (prefix === undefined) return;
    const { entries, revision } = await store.list(prefix);
    for (const entry of entries) this.#note(entry);
    this.#settle();
    this.#subscription = store.subscribe(prefix, { after: revision }, ({ events }) => {
      for (const event of events) this.#happened(event);
      this.#settle();
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

  #happened(event: StoreEvent): void {
    if (event.type === "put") this.#note(event.entry);
    else this.#aggregated.delete(event.key);
  }

  #note(entry: Entry): void {
    const { spec } = this.#server.cache.objectOf(entry) as Readonly<apiregistrationV1.APIService>;
    const { group = "", version = "", service } = spec ?? {};
    // What is built in stays: without it, nothing could be put right any more.
    if (service === undefined || this.#server.registry.isBuiltIn(group)) this.#aggregated.delete(entry.key);
    else this.#aggregated.set(entry.key, `${group}/${version}`);
  }

  #settle(): void {
    const { registry } = this.#server;
    for (const definition of this.#ownUntilThen) {
      const { group, version, resource } = definition;
      const isThere = registry.find(group, version, resource) === definition;
      if (this.#has(group, version)) registry.remove(group, version, resource);
      else if (!isThere) registry.set(definition);
    }
  }
}
