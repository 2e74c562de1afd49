/** A server of ConfigMaps for tests: writes take effect at once, the watch sends them when the test says so. */

import { alreadyExists, conflict, type KubeObject, ManualClock, modifiedMessage, notFound, type RandomSource } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Client, ListResult, ResourceClient, Target } from "../contracts/client.ts";
import type { Discovered } from "../contracts/discovered.ts";
import { ReconcileFailures } from "../contracts/reconcile-failures.ts";
import { defineResource, type ResourceRef } from "../contracts/resource-ref.ts";
import type { WatchEvent, WatchOptions } from "../contracts/watch-event.ts";

export interface Item extends KubeObject {
  value?: number;
}

export const items: ResourceRef<Item> = defineResource<Item>({
  group: "",
  version: "v1",
  resource: "items",
  kind: "Item",
  namespaced: true,
});

/** Lets everything that was due come through. */
export const quiet = (): Promise<void> => quiescence();

const random: RandomSource = { next: () => 0.5, uuid: () => "" };

export class FakeServer {
  readonly clock = new ManualClock();
  /** What requests came, as "create a". */
  readonly requests: string[] = [];
  readonly objects = new Map<string, Item>();
  /** Thrown by the next write, before it takes effect or after. */
  fault: { readonly error: Error; readonly when: "before" | "after" } | undefined;
  /** The next write takes effect no sooner. */
  hold: Promise<void> | undefined;
  /** The next answer to a write or a get that succeeds or finds nothing is on its way for so long. */
  holdAnswer: Promise<void> | undefined;
  /** Thrown by every get, and by every list. */
  getFault: Error | undefined;
  listFault: Error | undefined;
  /** What discovery answers. */
  discovered: Discovered | undefined;
  /** How versions look on the wire. */
  versionText: (version: number) => string = String;
  /** Whether the answer to a delete says which object it was. */
  answersUids = false;
  version = 100;
  #uids = 0;
  /** Every change: the event, and what the state was with it. */
  readonly #history: { readonly event: WatchEvent<Item>; readonly version: number; readonly state: ReadonlyMap<string, Item> }[] = [];
  /** How many of the history's events the watch has sent. */
  #sent = 0;
  #watch: { queue: WatchEvent<Item>[]; wake: () => void; opts: WatchOptions } | undefined;

  /** Whether there is a watch. */
  get watched(): boolean {
    return this.#watch !== undefined;
  }

  get unsent(): number {
    return this.#history.length - this.#sent;
  }

  /** The whole state, as of what the watch sends next or, with `count`, so many events later. */
  list(count = this.unsent): void {
    this.#sent = Math.min(this.#history.length, this.#sent + count);
    const last = this.#history[this.#sent - 1];
    const state = last?.state ?? (this.#history.length === 0 ? this.objects : new Map<string, Item>());
    this.#push({
      type: "LISTED",
      items: [...state.values()].map((item) => structuredClone(item)),
      resourceVersion: this.versionText(last?.version ?? 100),
    });
  }

  sendEvents(count = this.unsent): void {
    for (const { event } of this.#history.slice(this.#sent, this.#sent + count)) this.#push(structuredClone(event));
    this.#sent = Math.min(this.#history.length, this.#sent + count);
  }

  bookmark(): void {
    this.#push({ type: "BOOKMARK", resourceVersion: this.versionText(this.#history[this.#sent - 1]?.version ?? 100) });
  }

  interrupt(): void {
    this.#watch?.opts.onInterrupted?.({ error: new Error("gone"), afterMs: 800 });
  }

  connect(): void {
    this.#watch?.opts.onConnected?.();
  }

  /** An event of the test's own making. */
  push(event: WatchEvent<Item>): void {
    this.#push(event);
  }

  #push(event: WatchEvent<Item>): void {
    this.#watch?.queue.push(event);
    this.#watch?.wake();
  }

  put(name: string, fields: Partial<Item> = {}, namespace = "default"): Item {
    const key = `${namespace}/${name}`;
    const old = this.objects.get(key);
    const metadata = {
      ...fields.metadata,
      name,
      namespace,
      uid: old?.metadata?.uid ?? `uid-${++this.#uids}`,
      resourceVersion: this.#next(),
    };
    const item: Item = { apiVersion: "v1", kind: "Item", ...fields, metadata };
    this.objects.set(key, item);
    this.#record({ type: old === undefined ? "ADDED" : "MODIFIED", object: item });
    return structuredClone(item);
  }

  remove(name: string, namespace = "default"): void {
    const old = this.objects.get(`${namespace}/${name}`);
    if (old === undefined) return;
    this.objects.delete(`${namespace}/${name}`);
    this.#record({ type: "DELETED", object: { ...old, metadata: { ...old.metadata, resourceVersion: this.#next() } } });
  }

  #next(): string {
    return this.versionText(++this.version);
  }

  #record(event: WatchEvent<Item>): void {
    this.#history.push({ event: structuredClone(event), version: this.version, state: new Map(this.objects) });
  }

  async *#follow(opts: WatchOptions): AsyncGenerator<WatchEvent<Item>> {
    const watch = { queue: [] as WatchEvent<Item>[], wake: () => {}, opts };
    this.#watch = watch;
    const onAbort = () => watch.wake();
    opts.signal?.addEventListener("abort", onAbort);
    try {
      while (opts.signal?.aborted !== true) {
        const next = watch.queue.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            watch.wake = resolve;
          });
      }
    } finally {
      opts.signal?.removeEventListener("abort", onAbort);
      this.#watch = undefined;
    }
  }

  #find(target: Target): Item {
    const { namespace = "default", name } = typeof target === "string" ? { name: target } : target;
    const found = this.objects.get(`${namespace}/${name}`);
    if (found === undefined) throw notFound(items, name);
    return found;
  }

  async #write<R>(request: string, take: () => R): Promise<R> {
    this.requests.push(request);
    const { fault, hold } = this;
    this.fault = undefined;
    this.hold = undefined;
    await hold;
    if (fault?.when === "before") throw fault.error;
    const answer = take();
    if (fault !== undefined) throw fault.error;
    await this.#answer();
    return answer;
  }

  #answer(): Promise<void> {
    const { holdAnswer = Promise.resolve() } = this;
    this.holdAnswer = undefined;
    return holdAnswer;
  }

  #put(object: Item): Item {
    const { name = "", namespace, resourceVersion } = object.metadata ?? {};
    const old = this.#find({ name, namespace });
    if (resourceVersion !== undefined && old.metadata?.resourceVersion !== resourceVersion) throw conflict(items, name, modifiedMessage);
    return this.put(name, object, namespace);
  }

  #create(object: Item): Item {
    const { generateName, namespace = "default" } = object.metadata ?? {};
    const name = object.metadata?.name ?? `${generateName}${this.version}`;
    if (this.objects.has(`${namespace}/${name}`)) throw alreadyExists(items, name);
    return this.put(name, object, namespace);
  }

  readonly resource: ResourceClient<Item> = {
    ref: items,
    namespace: undefined,
    get: async (target) => {
      this.requests.push(`get ${typeof target === "string" ? target : target.name}`);
      if (this.getFault !== undefined) throw this.getFault;
      try {
        return structuredClone(this.#find(target));
      } finally {
        await this.#answer();
      }
    },
    list: async (): Promise<ListResult<Item>> => {
      this.requests.push("list");
      if (this.listFault !== undefined) throw this.listFault;
      return { items: [...this.objects.values()].map((item) => structuredClone(item)), resourceVersion: this.versionText(this.version) };
    },
    pages: () => unexpected("pages"),
    watch: (opts = {}) => this.#follow(opts),
    create: (object) => this.#write("create", () => this.#create(object)),
    update: (object) => this.#write(`update ${object.metadata?.name}`, () => this.#put(object)),
    updateStatus: (object) => this.#write(`update ${object.metadata?.name}`, () => this.#put(object)),
    modify: () => unexpected("modify"),
    patch: (target, { patch }) => this.#write("patch", () => this.#put({ ...this.#find(target), ...patch })),
    apply: (object) => this.#write("apply", () => this.put(object.metadata?.name ?? "", object)),
    delete: async (target, opts) => {
      const uid = await this.#write("delete", () => {
        const { metadata } = this.#find(target);
        this.remove(metadata?.name ?? "", metadata?.namespace);
        return metadata?.uid;
      });
      if (uid !== undefined && this.answersUids) opts?.onDeleted?.(uid);
      return undefined;
    },
    deleteCollection: () =>
      this.#write("delete all", () => {
        for (const { metadata } of [...this.objects.values()]) this.remove(metadata?.name ?? "", metadata?.namespace);
      }),
    scale: (target, replicas) => this.#write("scale", () => void this.#put({ ...this.#find(target), value: replicas })),
    subresource: () => unexpected("subresource"),
  };

  readonly client: Client = {
    clock: this.clock,
    random,
    namespace: "default",
    log: undefined,
    reconcileFailures: new ReconcileFailures(),
    // Whatever the resource, there are only items here.
    resource: <T extends KubeObject>() => this.resource as ResourceClient<KubeObject> as ResourceClient<T>,
    refOf: () => unexpected("refOf"),
    discover: async () => this.discovered ?? unexpected("discover"),
    request: () => unexpected("request"),
    with: () => unexpected("with"),
    transport: { send: () => unexpected("send"), [Symbol.asyncDispose]: async () => {} },
    [Symbol.asyncDispose]: async () => {},
  };
}

function unexpected(what: string): never {
  throw new Error(`${what} is not expected`);
}
