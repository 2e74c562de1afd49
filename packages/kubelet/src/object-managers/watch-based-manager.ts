/**
 * The ConfigMaps and Secrets that Pods take something from, each followed by a watch of its own while some Pod needs it:
 * kubelets may not list all. Kubelets in one process may share one.
 */
import type { coreV1 } from "@coxswain/api";
import { type Client, configMaps, type KubeObject, type ResourceRef, secrets } from "@coxswain/client";
import type { Pod } from "../pod/pod.ts";
import { ObjectCacheItem } from "./object-cache-item.ts";
import { type Reference, referencesOf } from "./pod-references.ts";

/** Keeps the Secrets and ConfigMaps that Pods of this node refer to, and no others. */
export interface SecretAndConfigMapManager extends AsyncDisposable {
  /** Follows what this Pod refers to now, and nothing else for it; `changed` is called when something of it has changed. */
  registerPod(pod: Pod, changed: () => void): void;
  unregisterPod(podUid: string): void;
  /** @throws notFound() as kubelets word it */
  getConfigMap(namespace: string, name: string, signal: AbortSignal): Promise<coreV1.ConfigMap>;
  /** @throws notFound() as kubelets word it */
  getSecret(namespace: string, name: string, signal: AbortSignal): Promise<coreV1.Secret>;
  /** How many objects are followed. */
  readonly size: number;
}

/** Makes a manager that watches each object that a registered Pod refers to. */
export const createWatchBasedManager = (client: Client): SecretAndConfigMapManager => new WatchBasedManager(client);

class WatchBasedManager implements SecretAndConfigMapManager {
  readonly #objects: { readonly configmap: ObjectCache<coreV1.ConfigMap>; readonly secret: ObjectCache<coreV1.Secret> };
  /** By uid of Pods: what they hold. */
  readonly #held = new Map<string, { readonly namespace: string; readonly references: readonly Reference[] }>();
  readonly #ending = new Set<Promise<void>>();

  constructor(client: Client) {
    this.#objects = {
      configmap: new ObjectCache(client, configMaps, "configmap"),
      secret: new ObjectCache(client, secrets, "secret"),
    };
  }

  get size(): number {
    return this.#objects.configmap.size + this.#objects.secret.size;
  }

  registerPod(pod: Pod, changed: () => void): void {
    const { uid = "", namespace = "" } = pod.metadata ?? {};
    const references = referencesOf(pod);
    for (const { kind, name } of references) this.#objects[kind].registerPod(namespace, name, uid, changed);
    const before = this.#held.get(uid);
    if (references.length > 0) this.#held.set(uid, { namespace, references });
    else this.#held.delete(uid);
    for (const one of before?.references ?? [])
      if (!references.some(({ kind, name }) => kind === one.kind && name === one.name)) this.#drop(one, namespace, uid);
  }

  unregisterPod(podUid: string): void {
    const held = this.#held.get(podUid);
    this.#held.delete(podUid);
    for (const reference of held?.references ?? []) this.#drop(reference, held?.namespace ?? "", podUid);
  }

  getConfigMap = (namespace: string, name: string, signal: AbortSignal): Promise<coreV1.ConfigMap> =>
    this.#objects.configmap.get(namespace, name, signal);

  getSecret = (namespace: string, name: string, signal: AbortSignal): Promise<coreV1.Secret> =>
    this.#objects.secret.get(namespace, name, signal);

  async [Symbol.asyncDispose](): Promise<void> {
    for (const uid of [...this.#held.keys()]) this.unregisterPod(uid);
    await Promise.all(this.#ending);
  }

  #drop({ kind, name }: Reference, namespace: string, uid: string): void {
    const ending = this.#objects[kind].drop(namespace, name, uid);
    if (ending === undefined) return;
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}

/** Those of one resource. */
class ObjectCache<T extends KubeObject & { readonly immutable?: boolean }> {
  readonly #client: Client;
  readonly #ref: ResourceRef<T>;
  readonly #kind: string;
  readonly #objects = new Map<string, ObjectCacheItem<T>>();

  constructor(client: Client, ref: ResourceRef<T>, kind: string) {
    this.#client = client;
    this.#ref = ref;
    this.#kind = kind;
  }

  get size(): number {
    return this.#objects.size;
  }

  registerPod(namespace: string, name: string, holder: string, changed: () => void): void {
    const key = `${namespace}/${name}`;
    let object = this.#objects.get(key);
    if (object === undefined) {
      object = new ObjectCacheItem(this.#client.resource(this.#ref, namespace), name, this.#kind, this.#client.clock);
      this.#objects.set(key, object);
    }
    object.holders.set(holder, changed);
  }

  /** The end of the watch, when no other Pod refers to the object. */
  drop(namespace: string, name: string, holder: string): Promise<void> | undefined {
    const key = `${namespace}/${name}`;
    const object = this.#objects.get(key);
    object?.holders.delete(holder);
    if (object === undefined || object.holders.size > 0) return undefined;
    this.#objects.delete(key);
    return object.stop();
  }

  async get(namespace: string, name: string, signal: AbortSignal): Promise<T> {
    const object = this.#objects.get(`${namespace}/${name}`);
    if (object === undefined) throw new Error(`object "${namespace}"/"${name}" not registered`);
    return await object.get(signal);
  }
}
