/** One object that is watched alone, as long as a Pod refers to it. */
import type { KubeObject, ResourceClient } from "@coxswain/client";
import { type Clock, notFound } from "@coxswain/machinery";

/** How long a first answer may take. */
const syncMs = 10_000;

export class ObjectCacheItem<T extends KubeObject & { readonly immutable?: boolean }> {
  /** Called with changes, by holder. */
  readonly holders = new Map<string, () => void>();
  readonly #resource: ResourceClient<T>;
  readonly #name: string;
  readonly #kind: string;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #object: T | undefined;
  readonly #ended: Promise<void>;

  /** `kind` is what messages call it: `configmap`. */
  constructor(resource: ResourceClient<T>, name: string, kind: string, clock: Clock) {
    this.#resource = resource;
    this.#name = name;
    this.#kind = kind;
    this.#clock = clock;
    this.#synced.promise.catch(() => undefined);
    this.#ended = this.#follow().catch(this.#synced.reject);
  }

  /** As it was last seen. @throws notFound(), or Error when the watch has not delivered it in time */
  async get(signal: AbortSignal): Promise<T> {
    if (!this.#hasSynced) await this.#sync(signal);
    if (this.#object === undefined) throw notFound({ group: "", resource: this.#kind }, this.#name);
    return this.#object;
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("nobody uses the object any more"));
    await this.#ended;
  }

  async #sync(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const given = Promise.withResolvers<void>();
    const onAbort = (): void => given.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const late = new Error(`failed to sync ${this.#kind} cache: timed out waiting for the condition`);
    using _ = this.#clock.schedule(syncMs, () => given.reject(late));
    try {
      await Promise.race([this.#synced.promise, given.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const watch = this.#resource.watch({ fieldSelector: `metadata.name=${this.#name}`, signal });
    for await (const event of watch) {
      if (event.type === "BOOKMARK") continue;
      if (event.type === "LISTED") this.#set(event.items[0]);
      else this.#set(event.type === "DELETED" ? undefined : event.object);
      // It stays as it is: there is nothing to wait for.
      if (this.#object?.immutable === true) return;
    }
  }

  #set(object: T | undefined): void {
    const before = this.#object;
    this.#object = object;
    const first = !this.#hasSynced;
    this.#hasSynced = true;
    this.#synced.resolve();
    if (first || before?.metadata?.resourceVersion === object?.metadata?.resourceVersion) return;
    for (const changed of this.holders.values()) changed();
  }
}
