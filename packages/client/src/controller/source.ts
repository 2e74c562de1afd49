/** What wakes a controller: changes of one resource, and the objects to reconcile for each. */
import { type KubeObject, parseApiVersion } from "@coxswain/machinery";
import type { Change } from "../cache/change.ts";
import { byController } from "../cache/indexes.ts";
import type { Indexes, Lister } from "../cache/lister.ts";
import type { ObjectRef, ResourceRef } from "../contracts/resource-ref.ts";
import type { Informer } from "../informer/informer.ts";
import type { InformerSet } from "../informer/informer-set.ts";
import { controllerOf } from "../metadata/owner-references.ts";
import type { AddOptions } from "../workqueue/work-queue.ts";
import type { Predicate } from "./predicates.ts";

/** Which objects of a resource a controller follows, and which of their changes wake it. */
export interface SourceOptions<T extends KubeObject = KubeObject> {
  /** Default: that of the controller, for a resource that has namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly indexes?: Indexes<T>;
  /** Makes what is kept of what came, to save memory. */
  readonly transform?: (object: T) => T;
  readonly predicate?: Predicate<T>;
}

/** Made by `watching`. */
export interface Source {
  readonly ref: ResourceRef;
  connect(informers: InformerSet, setting: SourceSetting): SourceConnection;
}

/** What a function that maps changes to keys may read. */
export interface SourceSetting {
  readonly namespace: string | undefined;
  /** Of the controller's own objects. */
  readonly main: () => Lister;
  /** The local copy of a resource that wakes the controller. @throws TypeError for any other */
  cache<T extends KubeObject>(ref: ResourceRef<T>): Lister<T>;
}

/** Adds a key to the queue of a controller. */
export type AddKey = (ref: ObjectRef, opts: AddOptions) => void;

/** Holds the informer until disposed. */
export interface SourceConnection extends Disposable {
  readonly informer: Informer;
  /** Wakes the controller for all that is there and for every change, until disposed. `failed` gets what a mapping throws. */
  begin(add: AddKey, failed: (error: unknown) => void): Disposable;
}

/** Whose objects have changed: an object's own, its owner's, or what a function says. */
export type Keys<T extends KubeObject> = (object: T, change: Change<T>, setting: SourceSetting) => readonly ObjectRef[];

/** Changes of any resource; `map` returns the keys to reconcile. Of an update both the new and the previous object are mapped. */
export const watching = <T extends KubeObject>(ref: ResourceRef<T>, map: Keys<T>, options: SourceOptions<T> = {}): Source =>
  sourceOf(ref, map, options);

export const itself = <T extends KubeObject>(object: T): readonly ObjectRef[] => [refTo(object)];

/** The object of this resource that controls the changed one, unless another has its name by now. */
export const itsController =
  (owner: ResourceRef): Keys<KubeObject> =>
  (object, _change, { main }) => {
    const reference = controllerOf(object);
    if (reference === undefined || reference.kind !== owner.kind || parseApiVersion(reference.apiVersion)?.group !== owner.group) return [];
    const namespace = owner.namespaced ? object.metadata?.namespace : undefined;
    const ref = namespace === undefined ? { name: reference.name } : { namespace, name: reference.name };
    const uid = main().get(ref)?.metadata?.uid;
    return uid === undefined || uid === reference.uid ? [ref] : [];
  };

export function sourceOf<T extends KubeObject>(ref: ResourceRef<T>, keys: Keys<T>, options: SourceOptions<T>): Source {
  const { predicate, indexes, ...selection } = options;
  return {
    ref,
    connect: (informers, setting) => {
      const namespace = options.namespace ?? (ref.namespaced ? setting.namespace : undefined);
      const all = { ...indexes, [byControllerIndex]: byController };
      const lease = informers.use(ref, { ...selection, indexes: all, ...(namespace === undefined ? {} : { namespace }) });
      return {
        informer: lease.informer as Informer<T> as Informer,
        begin: (add, failed) =>
          lease.informer.subscribe((change) => {
            try {
              if (predicate?.(change) === false) return;
              wake(change, (object) => keys(object, change, setting), add);
            } catch (error) {
              failed(error);
            }
          }),
        [Symbol.dispose]: () => lease[Symbol.dispose](),
      };
    },
  };
}

/** Every informer of a controller finds its objects by the uid of their controller under this name. */
export const byControllerIndex = "controller";

/** What was there already and what a resync repeats yields to what has changed. */
function wake<T extends KubeObject>(change: Change<T>, keysOf: (object: T) => readonly ObjectRef[], add: AddKey): void {
  const isNews = change.type === "updated" ? !change.resync : change.type === "deleted" || !change.initial;
  const priority = isNews ? "normal" : "low";
  const refs = keysOf(change.object);
  for (const ref of refs) add(ref, { priority });
  if (change.type !== "updated" || change.resync) return;
  // A key that a worker has taken already would come again after it.
  for (const ref of keysOf(change.previous)) if (!refs.some((known) => isSame(known, ref))) add(ref, { priority });
}

const isSame = (a: ObjectRef, b: ObjectRef): boolean => a.name === b.name && a.namespace === b.namespace;

export function refTo(object: KubeObject): ObjectRef {
  const { namespace, name = "" } = object.metadata ?? {};
  return namespace === undefined ? { name } : { namespace, name };
}
