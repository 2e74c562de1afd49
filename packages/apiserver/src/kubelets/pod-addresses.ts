/** Which Pods have an address, for what is asked for by address alone. */
import type { coreV1 } from "@coxswain/api";
import type { Entry } from "@coxswain/store";
import type { ObjectReader } from "../storage/object-reader.ts";
import { ObjectCache } from "../storage/stored-object.ts";

/** Reads what is stored when it is first asked, and follows it from then on: most servers never ask. */
export class PodAddresses implements Disposable {
  readonly #reader: ObjectReader;
  #followed: Promise<void> | undefined;
  #subscription: Disposable | undefined;
  #isDisposed = false;
  /** Keys of Pods by their addresses, and the other way round. */
  readonly #keys = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, readonly string[]>();

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  /** Those that are bound to a Node and do not share its addresses. Two have the same when one of them has ended. */
  async podsAt(address: string): Promise<readonly coreV1.Pod[]> {
    this.#followed ??= this.#follow().catch((error: unknown) => {
      this.#followed = undefined;
      throw error;
    });
    await this.#followed;
    const { store, cache } = this.#reader;
    const found = await Promise.all([...(this.#keys.get(address) ?? [])].map((key) => store.get(key)));
    return found.flatMap(({ entry }) => (entry === undefined ? [] : [cache.objectOf(entry) as coreV1.Pod]));
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#subscription?.[Symbol.dispose]();
  }

  async #follow(): Promise<void> {
    const { store, cache, served } = this.#reader;
    const prefix = served.find("", "v1", "pods")?.prefix;
    if (prefix === undefined) return;
    this.#keys.clear();
    this.#addresses.clear();
    const { entries, revision } = await store.list(prefix);
    // What is cached for other requests is not to be evicted by all of these.
    const passing = new ObjectCache({ objects: 0, bytes: 0 });
    for (const entry of entries) this.#put(entry, passing);
    if (this.#isDisposed) return;
    this.#subscription = store.subscribe(prefix, { after: revision }, ({ events }) => {
      for (const event of events) {
        if (event.type === "put") this.#put(event.entry, cache);
        else this.#set(event.key, []);
      }
    });
  }

  #put(entry: Entry, cache: ObjectCache): void {
    this.#set(entry.key, addressesOf(cache.objectOf(entry) as coreV1.Pod));
  }

  #set(key: string, addresses: readonly string[]): void {
    const before = this.#addresses.get(key) ?? [];
    if (before.length === addresses.length && before.every((address, at) => address === addresses[at])) return;
    for (const address of before) {
      const keys = this.#keys.get(address);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(address);
    }
    for (const address of addresses) {
      const keys = this.#keys.get(address);
      if (keys === undefined) this.#keys.set(address, new Set([key]));
      else keys.add(key);
    }
    if (addresses.length === 0) this.#addresses.delete(key);
    else this.#addresses.set(key, addresses);
  }
}

function addressesOf({ spec, status }: coreV1.Pod): readonly string[] {
  if ((spec?.nodeName ?? "") === "" || spec?.hostNetwork === true) return [];
  const all = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return [...new Set(all.filter((ip) => ip !== undefined && ip !== ""))] as string[];
}
