/** The informers of a process, each shared by all who want the same objects. */
import { apiVersionOf, type Clock, type GroupResource, type KubeObject } from "@coxswain/machinery";
import type { Client } from "../contracts/client.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { createInformer } from "./create-informer.ts";
import type { Informer, InformerOptions } from "./informer.ts";
import { type Bounds, within } from "./within.ts";

/** Whoever gives the same, but for `indexes`, shares an informer. */
export interface SharedInformerOptions<T extends KubeObject = KubeObject>
  extends Pick<InformerOptions<T>, "labelSelector" | "fieldSelector" | "metadataOnly" | "indexes" | "transform" | "resyncMs"> {
  /** Default: the whole cluster. */
  readonly namespace?: string;
}

/** Disposing it gives the informer up; subscriptions are for who made them to end. */
export interface InformerLease<T extends KubeObject = KubeObject> extends Disposable {
  readonly informer: Informer<T>;
}

/** Informers that are shared by all who follow the same objects, as client-go's SharedInformerFactory. */
export interface InformerSet {
  /** The informer runs from the first use to the end of the last, while the set runs. */
  use<T extends KubeObject>(ref: ResourceRef<T>, options?: SharedInformerOptions<T>): InformerLease<T>;
  /** Until the signal is aborted and all informers have ended; once only. Rejects, with all stopped, when one fails. */
  run(signal: AbortSignal): Promise<void>;
  /** When all that are in use now have synced. Default `timeoutMs`: two minutes. @throws Error naming those that have not */
  synced(bounds?: Partial<Bounds>): Promise<void>;
  /** Those in use that may hold objects of this resource, whatever its version, in this namespace; undefined: in any. */
  covering(resource: GroupResource, namespace: string | undefined): readonly Informer[];
}

interface Member {
  readonly key: string;
  readonly transform: unknown;
  readonly informer: Informer;
  readonly stop: AbortController;
  uses: number;
}

/** Creates a set without any informer; `defaults` hold for each that is made in it. */
export function createInformerSet(client: Client, defaults: Pick<InformerOptions, "log" | "freeze" | "staleAfterMs"> = {}): InformerSet {
  return new SharedInformers(client, defaults);
}

class SharedInformers implements InformerSet {
  readonly #client: Client;
  readonly #defaults: Pick<InformerOptions, "log" | "freeze" | "staleAfterMs">;
  readonly #members = new Set<Member>();
  readonly #running = new Set<Promise<void>>();
  #started = false;
  #start: ((member: Member) => void) | undefined;

  constructor(client: Client, defaults: Pick<InformerOptions, "log" | "freeze" | "staleAfterMs">) {
    this.#client = client;
    this.#defaults = defaults;
  }

  use<T extends KubeObject>(ref: ResourceRef<T>, options: SharedInformerOptions<T> = {}): InformerLease<T> {
    const { namespace, indexes = {}, transform, ...rest } = options;
    const key = informerKey(ref, options);
    for (const member of this.#members) {
      if (member.key !== key || member.transform !== transform) continue;
      // What has the same key was made for the same type of objects.
      const informer = member.informer as Informer<KubeObject> as Informer<T>;
      informer.addIndexes(indexes);
      return this.#lease(member, informer);
    }
    const resource = this.#client.resource(ref, namespace);
    const made = { clock: this.#client.clock, ...this.#defaults, ...rest, indexes, ...(transform === undefined ? {} : { transform }) };
    const informer = createInformer(resource, made);
    const member = { key, transform, informer: informer as Informer<T> as Informer, stop: new AbortController(), uses: 0 };
    this.#members.add(member);
    this.#start?.(member);
    return this.#lease(member, informer);
  }

  #lease<T extends KubeObject>(member: Member, informer: Informer<T>): InformerLease<T> {
    member.uses++;
    let given = true;
    const end = () => {
      if (given && --member.uses === 0) {
        this.#members.delete(member);
        member.stop.abort(new Error("nobody uses the informer any more"));
      }
      given = false;
    };
    return { informer, [Symbol.dispose]: end };
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new TypeError("a set of informers runs once");
    this.#started = true;
    const end = Promise.withResolvers<void>();
    const stop = new AbortController();
    const onAbort = () => end.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) end.resolve();
    this.#start = (member) => {
      const running = member.informer.run(AbortSignal.any([stop.signal, member.stop.signal])).catch(end.reject);
      this.#running.add(running);
      running.finally(() => this.#running.delete(running));
    };
    for (const member of this.#members) this.#start(member);
    try {
      await end.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#start = undefined;
      stop.abort(signal.reason);
      await Promise.all(this.#running);
    }
  }

  synced(bounds?: Partial<Bounds>): Promise<void> {
    return allSynced(new Set(Array.from(this.#members, ({ informer }) => informer)), this.#client.clock, bounds);
  }

  covering({ group, resource }: GroupResource, namespace: string | undefined): readonly Informer[] {
    const found: Informer[] = [];
    for (const { informer } of this.#members) {
      const { ref } = informer;
      if (ref.resource !== resource || ref.group !== group) continue;
      if (namespace === undefined || informer.namespace === undefined || informer.namespace === namespace) found.push(informer);
    }
    return found;
  }
}

/** When all of these have. Default `timeoutMs`: two minutes. @throws Error naming those that have not */
export function allSynced(
  informers: ReadonlySet<Informer>,
  clock: Clock,
  { signal, timeoutMs = 120_000 }: Partial<Bounds> = {},
): Promise<void> {
  const all = [...informers];
  const late = () =>
    new Error(
      `not synced in time: ${all
        .filter(({ hasSynced }) => !hasSynced)
        .map(nameOf)
        .join(", ")}`,
    );
  const synced = Promise.all(all.map((informer) => informer.synced)).then(() => undefined);
  return within(synced, clock, { signal, timeoutMs }, late);
}

const informerKey = <T extends KubeObject>(ref: ResourceRef<T>, options: SharedInformerOptions<T>): string =>
  JSON.stringify([
    ref.group,
    ref.version,
    ref.resource,
    options.namespace,
    options.labelSelector,
    options.fieldSelector,
    options.metadataOnly,
    options.resyncMs,
  ]);

const nameOf = ({ ref, namespace }: Informer): string =>
  `${ref.resource} (${apiVersionOf(ref)})${namespace === undefined ? "" : ` in ${namespace}`}`;
