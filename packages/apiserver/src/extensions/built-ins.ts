/**
 * What built-in resources keep for themselves. Kubernetes takes definitions of such names too, as it takes any, but all
 * paths below a group and version of its own are answered by what is built in.
 */
import type { ResourceDefinition, ResourceRegistry } from "@coxswain/api";

export class BuiltIns {
  readonly #groupVersions = new Set<string>();
  readonly #prefixes = new Set<string>();

  constructor(registry: ResourceRegistry) {
    for (const { group, version, storagePrefix, custom } of registry.all()) {
      if (custom !== undefined) continue;
      this.#groupVersions.add(`${group}/${version}`);
      if (storagePrefix !== undefined) this.#prefixes.add(storagePrefix);
    }
  }

  /** Whether requests for the definition's objects would reach it, and its objects would be its own. */
  leaves({ group, version, storagePrefix }: ResourceDefinition): boolean {
    return !this.#groupVersions.has(`${group}/${version}`) && !this.holds(storagePrefix);
  }

  /** Whether what is stored there is not of a custom resource. */
  holds(storagePrefix: string | undefined): boolean {
    return storagePrefix !== undefined && this.#prefixes.has(storagePrefix);
  }
}
