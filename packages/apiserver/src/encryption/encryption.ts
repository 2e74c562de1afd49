/** Encryption at rest: which resources are stored encrypted, and how. */
import { builtinResources } from "@coxswain/api";
import { defaultKeyRoot, type ValueTransformer } from "@coxswain/store";
import type { GroupResourceName } from "./configuration/resource-name.ts";
import { identityProvider } from "./providers/identity.ts";
import type { Provider } from "./providers/provider.ts";

/** Providers by `resource.group`, `*.group` and `*.*`. */
export type ProvidersByResource = ReadonlyMap<string, Provider>;

const root = "/registry/";

/** Values go through the provider of their resource, which may be replaced by another while the server runs. */
export class Encryption implements ValueTransformer {
  generation = 0;
  #providers: ProvidersByResource;
  /** By the prefix of keys. */
  readonly #known = new Map<string, Provider>();
  readonly #builtin = builtinPrefixes();
  readonly #prefix: string;

  /** @param prefix what keys begin with where values are stored, as `keyRootOf` has it: values are bound to their keys there */
  constructor(providers: ProvidersByResource, prefix: string = defaultKeyRoot) {
    this.#providers = providers;
    this.#prefix = prefix;
  }

  /** From now on, these: also for what they have not written. */
  replace(providers: ProvidersByResource): void {
    this.#providers = providers;
    this.#known.clear();
    this.generation++;
  }

  checkWrite(key: string): void {
    this.#providerOf(key).checkWrite?.();
  }

  toStorage(key: string, value: Uint8Array): Uint8Array {
    const provider = this.#providerOf(key);
    return provider === identityProvider ? value : provider.seal(value, this.#contextOf(key));
  }

  fromStorage(key: string, stored: Uint8Array): ReturnType<ValueTransformer["fromStorage"]> {
    return this.#providerOf(key).open(stored, this.#contextOf(key));
  }

  async prepare(key: string, stored: Uint8Array): Promise<void> {
    await this.#providerOf(key).prepare?.(stored);
  }

  /** What a value is bound to, so that it is good under no other key. */
  #contextOf(key: string): Buffer {
    return Buffer.from(`${this.#prefix}/${key.slice(root.length)}`);
  }

  #providerOf(key: string): Provider {
    const first = key.indexOf("/", root.length) + 1;
    const oneSegment = key.slice(0, first);
    const known = this.#known.get(oneSegment);
    if (known !== undefined) return known;
    const builtin = this.#builtin.get(oneSegment);
    if (builtin !== undefined) return this.#remember(oneSegment, builtin);
    const two = key.slice(0, key.indexOf("/", first) + 1);
    const custom = { group: key.slice(root.length, first - 1), resource: two.slice(first, -1) };
    return this.#known.get(two) ?? this.#remember(two, this.#builtin.get(two) ?? custom);
  }

  #remember(prefix: string, { group, resource }: GroupResourceName): Provider {
    const of = this.#providers;
    const provider = of.get(`${resource}.${group}`) ?? of.get(`*.${group}`) ?? of.get("*.*") ?? identityProvider;
    this.#known.set(prefix, provider);
    return provider;
  }
}

/** Whose objects have keys with which prefix. The other prefixes are `/registry/GROUP/RESOURCE/`, of custom resources. */
function builtinPrefixes(): ReadonlyMap<string, GroupResourceName> {
  const prefixes = new Map<string, GroupResourceName>();
  for (const { storagePrefix, storageGroup, resource, group } of builtinResources())
    if (storagePrefix !== undefined && !prefixes.has(storagePrefix))
      prefixes.set(storagePrefix, { group: storageGroup ?? group, resource });
  return prefixes;
}
