import type { ResourceRegistry } from "@coxswain/api";
import { aggregatedList, aggregatedMediaType } from "./aggregated.ts";
import { type AggregatedVersions, noneAggregated } from "./aggregated-versions.ts";
import { contentHash, createDocument, type Document, jsonDocument } from "./document.ts";
import { apiVersions, group, groupList, resourceList } from "./legacy.ts";

/** The form of `/api` and `/apis`. A client that got one form from one of them expects it from the other. */
export type DiscoveryForm = "legacy" | "aggregated";

/** What discovery says besides what the registry has. */
export interface DiscoveryOptions {
  /** Host and port by which clients reach the server, for `/api`; it may change. */
  readonly serverAddress: string;
  /** Default: other servers serve nothing. */
  readonly aggregated?: AggregatedVersions;
}

/** Discovery answers, each made when first asked for and again once the registry has changed. */
export class DiscoveryDocuments {
  readonly #registry: ResourceRegistry;
  readonly #options: DiscoveryOptions;
  readonly #others: AggregatedVersions;
  readonly #made = new Map<string, Document | undefined>();
  #madeFor = "";

  constructor(registry: ResourceRegistry, options: DiscoveryOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#others = options.aggregated ?? noneAggregated;
  }

  /** Where discovery answers, for the list of all paths. */
  paths(): readonly string[] {
    const below = this.#groups().flatMap((group) => {
      const root = group === "" ? "/api" : `/apis/${group}`;
      return [root, ...this.#others.versions(group, this.#registry.versions(group)).map((version) => `${root}/${version}`)];
    });
    return ["/apis", "/apis/", ...below];
  }

  api(form: DiscoveryForm): Document {
    if (form !== "legacy") return this.#aggregated("/api", () => [""]);
    const { serverAddress } = this.#options;
    return this.#once(`/api ${serverAddress}`, () => jsonDocument(apiVersions(this.#registry, serverAddress)));
  }

  apis(form: DiscoveryForm): Document {
    if (form !== "legacy") return this.#aggregated("/apis", () => this.#groups().filter((name) => name !== ""));
    return this.#once("/apis", () => jsonDocument(groupList(this.#registry, this.#others)));
  }

  isBuiltIn(group: string): boolean {
    return this.#registry.isBuiltIn(group);
  }

  /** `/apis/NAME`; undefined for an unknown group. */
  group(name: string): Document | undefined {
    return this.#once(`/apis/${name}`, () => jsonIfAny(group(this.#registry, this.#others, name)));
  }

  /** `/api/v1` (the group is "") and `/apis/GROUP/VERSION`; undefined for what is not served. */
  resources(group: string, version: string): Document | undefined {
    return this.#once(`${group}/${version}`, () => jsonIfAny(resourceList(this.#registry, group, version)));
  }

  #groups(): readonly string[] {
    return this.#others.groups(this.#registry.groups());
  }

  #aggregated(path: string, groups: () => readonly string[]): Document {
    return this.#once(`${path} aggregated`, () => {
      const { body } = jsonDocument(aggregatedList(this.#registry, groups(), this.#others));
      return createDocument(body, aggregatedMediaType, `"${contentHash(body)}"`);
    });
  }

  #once<D extends Document | undefined>(key: string, make: () => D): D {
    const madeFor = `${this.#registry.version} ${this.#others.version}`;
    if (this.#madeFor !== madeFor) {
      this.#made.clear();
      this.#madeFor = madeFor;
    }
    const known = this.#made.get(key);
    if (known !== undefined) return known as D;
    const made = make();
    // Names of what does not exist come from clients: they must not fill the memory.
    if (made !== undefined) this.#made.set(key, made);
    return made;
  }
}

const jsonIfAny = (value: object | undefined): Document | undefined => (value === undefined ? undefined : jsonDocument(value));
