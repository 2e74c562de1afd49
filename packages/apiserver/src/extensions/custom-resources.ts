/**
 * CustomResourceDefinitions at work: what is established is served from the moment that its state is visible, and is gone
 * with it. A definition that changes ends the watches on what it was.
 */
import { type apiextensionsV1, type CustomResourceStats, customDefinitions, definesTheSame, type ResourceDefinition } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ServerContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { inlineValidationBudget } from "../offload/request-cost.ts";
import { BuiltIns } from "./built-ins.ts";
import { converterOf } from "./conversion/webhook-converter.ts";
import { DefinitionController } from "./definition-controller.ts";

type Crd = Readonly<apiextensionsV1.CustomResourceDefinition>;

/** What is served of one CustomResourceDefinition. */
interface Live {
  readonly crd: Crd;
  readonly stats: CustomResourceStats;
  readonly served: ReadonlySet<ResourceDefinition>;
}

export class CustomResources implements Disposable {
  readonly #server: ServerContext;
  readonly #resource: ServedResource;
  /** Undefined where another thread keeps the definitions' status. */
  readonly #controller: DefinitionController | undefined;
  readonly #builtIns: BuiltIns;
  /** All that are stored, by name. */
  readonly #crds = new Map<string, Crd>();
  readonly #live = new Map<string, Live>();
  #subscription: Disposable | undefined;

  /** `settles`: keeps the status of definitions as well; `follows`: leaves that to somebody else. */
  constructor(server: ServerContext, part: "settles" | "follows") {
    const resource = server.served.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    if (resource === undefined) throw new Error("the registry lacks CustomResourceDefinitions");
    this.#server = server;
    this.#resource = resource;
    this.#builtIns = new BuiltIns(server.registry);
    this.#controller = part === "settles" ? new DefinitionController(server, resource, this.#crds, this.#builtIns) : undefined;
  }

  /** Serves what is there, and from here on what comes. */
  async start(): Promise<void> {
    const { store } = this.#server;
    const { revision, entries } = await store.list(this.#resource.prefix);
    for (const entry of entries) this.#changed(entry);
    this.#subscription = store.subscribe(this.#resource.prefix, { after: revision }, ({ events }) => {
      for (const event of events) this.#happened(event);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#controller?.[Symbol.dispose]();
  }

  /** Objects of the definition that were written before the revision are normalised when they are read. */
  outdate(name: string, before: number): void {
    const stats = this.#live.get(name)?.stats;
    if (stats !== undefined) stats.settledSince = Math.max(stats.settledSince, before);
  }

  #happened(event: StoreEvent): void {
    if (event.type === "put") this.#changed(event.entry);
    else this.#gone(event.key.slice(this.#resource.prefix.length));
  }

  #changed(entry: Entry): void {
    const crd = this.#server.cache.objectOf(entry) as Crd;
    const name = crd.metadata?.name ?? "";
    this.#crds.set(name, crd);
    if (isTrue(crd, "Established")) this.#serve(name, crd, entry);
    this.#controller?.enqueue(name);
  }

  #gone(name: string): void {
    const crd = this.#crds.get(name);
    this.#crds.delete(name);
    const live = this.#live.get(name);
    if (live !== undefined) live.stats.stored = undefined;
    this.#replace(live?.served ?? nothing, nothing);
    this.#live.delete(name);
    if (crd !== undefined) this.#controller?.forget(name, crd);
  }

  #serve(name: string, crd: Crd, { key, modified: revision, value }: Entry): void {
    const found = this.#live.get(name);
    const before = found?.crd.metadata?.uid === crd.metadata?.uid ? found : undefined;
    if (found !== undefined && before === undefined) found.stats.stored = undefined;
    const stats = before?.stats ?? { settledSince: revision, terminating: false };
    stats.bytes = value.byteLength;
    stats.stored = { key, revision };
    stats.terminating = isTrue(crd, "Terminating");
    if (before !== undefined && definesTheSame(before.crd, crd)) return;
    if (before !== undefined && !readsTheSame(before.crd, crd)) stats.settledSince = revision;
    const { offload, clock } = this.#server;
    const definitions = customDefinitions(crd, stats, {
      conversion: converterOf(crd, this.#server),
      validationBudget: offload === undefined ? undefined : () => inlineValidationBudget(clock, stats),
    });
    const names = new Set(crd.spec.versions.filter(({ served }) => served).map((version) => version.name));
    const served = new Set([...definitions.values()].filter((each) => names.has(each.version) && this.#builtIns.leaves(each)));
    this.#replace(found?.served ?? nothing, served);
    this.#live.set(name, { crd, stats, served });
  }

  #replace(before: ReadonlySet<ResourceDefinition>, after: ReadonlySet<ResourceDefinition>): void {
    const { registry, watches } = this.#server;
    for (const { group, version, resource } of before) registry.remove(group, version, resource);
    for (const definition of after) registry.set(definition);
    watches.retire(before);
  }
}

const nothing: ReadonlySet<ResourceDefinition> = new Set();

const isTrue = ({ status }: Crd, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;

/** Whether objects stored under one state of the definition are as the other would have stored them. */
const readsTheSame = (a: Crd, b: Crd): boolean =>
  a.spec.versions.length === b.spec.versions.length &&
  a.spec.versions.every(({ name, schema, storage }, i) => {
    const other = b.spec.versions[i];
    return other?.name === name && other.storage === storage && deepEqual(other.schema, schema);
  });
