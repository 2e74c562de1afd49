/**
 * CustomResourceDefinitions at work: what is established is served from the moment that its state is visible, and is gone
 * with it. A definition that changes ends the watches on what it was.
 */
import {
  type apiextensionsV1,
  type CustomResourceStats,
  customDefinitions,
  definesTheSame,
  type ResourceDefinition,
  type ResourceRegistry,
} from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import type { ValidationBudget } from "@coxswain/schema";
import type { Entry, Revision, StoreEvent } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import type { WatchHub } from "../watch/hub.ts";
import type { BuiltIns } from "./built-ins.ts";
import { type ConverterServices, converterOf } from "./conversion/webhook-converter.ts";
import type { DefinitionController } from "./definition-controller.ts";

type Crd = Readonly<apiextensionsV1.CustomResourceDefinition>;

/** What is served of one CustomResourceDefinition. */
interface Live {
  readonly crd: Crd;
  readonly stats: CustomResourceStats;
  readonly served: ReadonlySet<ResourceDefinition>;
}

export interface CustomResourcesOptions {
  readonly reader: ObjectReader;
  /** To which the definitions that are served are added. */
  readonly definitions: ResourceRegistry;
  readonly watches: Pick<WatchHub, "retire">;
  readonly conversion: ConverterServices;
  /** What validating one object may cost here. Undefined where no other thread takes over what costs more. */
  readonly validationBudget: ((stats: CustomResourceStats) => ValidationBudget) | undefined;
  readonly builtIns: BuiltIns;
  /** Undefined where another thread keeps the definitions' status. */
  readonly controller: DefinitionController | undefined;
}

export class CustomResources implements Disposable {
  readonly #options: CustomResourcesOptions;
  readonly #resource: ServedResource;
  readonly #live = new Map<string, Live>();
  #subscription: Disposable | undefined;

  constructor(options: CustomResourcesOptions) {
    const resource = options.reader.served.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    if (resource === undefined) throw new Error("the registry lacks CustomResourceDefinitions");
    this.#options = options;
    this.#resource = resource;
  }

  /** Serves what is there, and from here on what comes. */
  async start(): Promise<void> {
    const { store } = this.#options.reader;
    const { revision, entries } = await store.list(this.#resource.prefix);
    for (const entry of entries) this.#changed(entry);
    this.#subscription = store.subscribe(this.#resource.prefix, { after: revision }, ({ events }) => {
      for (const event of events) this.#apply(event);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#options.controller?.[Symbol.dispose]();
  }

  /** Objects of the definition that were written before the revision are normalised when they are read. */
  outdate(name: string, before: number): void {
    const stats = this.#live.get(name)?.stats;
    if (stats !== undefined) stats.settledSince = Math.max(stats.settledSince, before);
  }

  #apply(event: StoreEvent): void {
    if (event.type === "put") this.#changed(event.entry);
    else this.#gone(event.key.slice(this.#resource.prefix.length), event.revision);
  }

  #changed(entry: Entry): void {
    const crd = this.#options.reader.cache.objectOf(entry) as Crd;
    const name = crd.metadata?.name ?? "";
    if (isTrue(crd, "Established")) this.#serve(name, crd, entry);
    this.#options.controller?.observe(name, crd, entry);
  }

  #gone(name: string, revision: Revision): void {
    const live = this.#live.get(name);
    if (live !== undefined) live.stats.stored = undefined;
    this.#replace(live?.served ?? nothing, nothing);
    this.#live.delete(name);
    this.#options.controller?.forget(name, revision);
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
    const { conversion, validationBudget, builtIns } = this.#options;
    const definitions = customDefinitions(crd, stats, {
      conversion: converterOf(crd, conversion),
      validationBudget: validationBudget === undefined ? undefined : () => validationBudget(stats),
    });
    const names = new Set(crd.spec.versions.filter(({ served }) => served).map((version) => version.name));
    const served = new Set([...definitions.values()].filter((each) => names.has(each.version) && builtIns.leaves(each)));
    this.#replace(found?.served ?? nothing, served);
    this.#live.set(name, { crd, stats, served });
  }

  #replace(before: ReadonlySet<ResourceDefinition>, after: ReadonlySet<ResourceDefinition>): void {
    const { definitions, watches } = this.#options;
    for (const { group, version, resource } of before) definitions.remove(group, version, resource);
    for (const definition of after) definitions.set(definition);
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
