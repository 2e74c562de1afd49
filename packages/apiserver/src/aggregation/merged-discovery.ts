/** What other servers serve, as discovery lists it beside what is served here. */
import { compareVersions } from "@coxswain/api";
import type { AggregatedVersions } from "../discovery/aggregated-versions.ts";
import type { ApiServiceIndex } from "./api-service-index.ts";
import type { Backend } from "./backend.ts";
import { type Discovered, type DiscoveredResources, groupVersionKey } from "./backend-discovery.ts";

/** What is known of the server of a group and version. */
type Known =
  | { readonly kind: "current"; readonly resources: DiscoveredResources }
  /** It could not be asked, or has not been yet. */
  | { readonly kind: "stale"; readonly resources: DiscoveredResources };

const stale: Known = { kind: "stale", resources: [] };

/** Of APIServices that say nothing, and of what is served without one. */
const usualPriorities = { group: 1_000, version: 100 };

/** Clients take their first steps by it. */
const firstGroup = "apiregistration.k8s.io";

type Index = Pick<ApiServiceIndex, "backends" | "isEmpty" | "find" | "groupPriority" | "versionPriority">;

export class MergedDiscovery implements AggregatedVersions {
  readonly #index: Index;
  readonly #known = new Map<string, Known>();
  #version = 0;

  constructor(index: Index) {
    this.#index = index;
  }

  get version(): number {
    return this.#version;
  }

  /** APIServices have changed. */
  changed(): void {
    this.#version += 1;
    for (const key of this.#known.keys()) {
      const [group = "", version = ""] = key.split("/");
      if (this.#index.find(group, version) === undefined) this.#known.delete(key);
    }
  }

  /** What a server has answered; undefined when it has not. */
  learn(backend: Backend, discovered: Discovered | undefined): void {
    const key = groupVersionKey(backend);
    const learned: Known = discovered === undefined ? stale : { kind: "current", resources: discovered.resources.get(key) ?? [] };
    const known = this.#known.get(key) ?? stale;
    if (known.kind === learned.kind && known.resources === learned.resources) return;
    if (known.kind === "stale" && learned.kind === "stale") return;
    this.#known.set(key, learned);
    this.#version += 1;
  }

  groups(own: readonly string[]): readonly string[] {
    if (this.#index.isEmpty) return own;
    const rank = new Map(own.map((group, at) => [group, at]));
    const others = new Set([...this.#index.backends].map(({ group }) => group).filter((group) => !rank.has(group)));
    const all = [...own, ...others].map((group) => ({ group, priority: this.#groupPriority(group), rank: rank.get(group) }));
    all.sort((a, b) => {
      if (a.priority !== b.priority) return b.priority - a.priority;
      // What is served here is in order already.
      if (a.rank !== undefined && b.rank !== undefined) return a.rank - b.rank;
      return a.group < b.group ? -1 : 1;
    });
    return all.map(({ group }) => group);
  }

  versions(group: string, own: readonly string[]): readonly string[] {
    if (this.#index.isEmpty) return own;
    const others = [...this.#index.backends].filter((one) => one.group === group).map(({ version }) => version);
    if (others.length === 0) return own;
    const all = [...new Set([...own, ...others])];
    const priorityOf = (version: string): number => this.#index.versionPriority(group, version) ?? usualPriorities.version;
    return all.sort((a, b) => priorityOf(b) - priorityOf(a) || compareVersions(a, b));
  }

  entry(group: string, version: string): object | undefined {
    if (this.#index.find(group, version) === undefined) return undefined;
    const { kind, resources } = this.#known.get(groupVersionKey({ group, version })) ?? stale;
    return { version, ...(resources.length === 0 ? {} : { resources }), freshness: kind === "current" ? "Current" : "Stale" };
  }

  #groupPriority(group: string): number {
    if (group === "") return Number.POSITIVE_INFINITY;
    if (group === firstGroup) return Number.MAX_VALUE;
    return this.#index.groupPriority(group) ?? usualPriorities.group;
  }
}
