import type { KubeObject } from "@coxswain/machinery";
import type { Lister } from "../cache/lister.ts";
import type { Client } from "../contracts/client.ts";
import type { ControllerLog } from "../contracts/controller-log.ts";
import type { ObjectRef, ResourceRef } from "../contracts/resource-ref.ts";
import type { EventRecorder } from "../events/event-recorder.ts";

/** What a reconcile reads from and acts with. */
export interface ReconcileContext<T extends KubeObject = KubeObject> {
  /** Aborted when the controller is to stop, has lost its leadership, or the reconcile has taken too long. */
  readonly signal: AbortSignal;
  /** From the cache, frozen; undefined when it is gone. Never older than what the last reconcile of this object wrote. */
  readonly object: T | undefined;
  /** The next reconcile of this object waits until the caches show what this client wrote. */
  readonly client: Client;
  /** The local copy of a resource that wakes this controller. @throws TypeError for any other */
  cache<U extends KubeObject>(ref: ResourceRef<U>): Lister<U>;
  /** What this object controls, of a resource that the controller `owns`; from the cache. */
  owned<U extends KubeObject>(ref: ResourceRef<U>): U[];
  /** How often in a row this object's reconcile has failed before. */
  readonly failures: number;
  readonly log: ControllerLog;
  readonly events: EventRecorder;
}

export interface ContextParts {
  readonly ref: ObjectRef;
  readonly signal: AbortSignal;
  readonly failures: number;
  readonly main: Lister;
  readonly cacheOf: (ref: ResourceRef) => Lister;
  readonly ownedBy: (ref: ResourceRef, uid: string) => KubeObject[];
  readonly client: () => Client;
  readonly log: () => ControllerLog;
  readonly events: () => EventRecorder;
}

/** Nothing is made before it is asked for: most reconciles find nothing to do. */
export class LazyContext implements ReconcileContext {
  readonly signal: AbortSignal;
  readonly object: KubeObject | undefined;
  readonly failures: number;
  readonly #parts: ContextParts;
  #client: Client | undefined;
  #log: ControllerLog | undefined;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.signal = parts.signal;
    this.failures = parts.failures;
    this.object = parts.main.get(parts.ref);
  }

  get client(): Client {
    this.#client ??= this.#parts.client();
    return this.#client;
  }

  get log(): ControllerLog {
    this.#log ??= this.#parts.log();
    return this.#log;
  }

  get events(): EventRecorder {
    return this.#parts.events();
  }

  readonly cache = <U extends KubeObject>(ref: ResourceRef<U>): Lister<U> => {
    // Whoever names a resource says by that what its objects are.
    return this.#parts.cacheOf(ref) as Lister<KubeObject> as Lister<U>;
  };

  readonly owned = <U extends KubeObject>(ref: ResourceRef<U>): U[] => {
    const uid = this.object?.metadata?.uid;
    return uid === undefined ? [] : (this.#parts.ownedBy(ref, uid) as U[]);
  };
}
