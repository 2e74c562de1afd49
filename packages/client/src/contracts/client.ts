/** What a client offers; `createClient` makes one of a transport. */

import type { Clock, KubeObject, RandomSource } from "@coxswain/machinery";
import type { RetryBackoff } from "../retry/retry-on-conflict.ts";
import type { Cancellable } from "../transport/cancellable.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport/transport.ts";
import type { ControllerLog } from "./controller-log.ts";
import type { Discovered } from "./discovered.ts";
import type { ReconcileFailures } from "./reconcile-failures.ts";
import type { ObjectRef, ResourceRef } from "./resource-ref.ts";
import type { WatchEvent, WatchOptions } from "./watch-event.ts";

/** What `createClient` makes a client of. */
export interface ClientOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Where objects are meant to be that name no namespace. Default: `default`. */
  readonly namespace?: string;
  /** Who writes: the `fieldManager` of every write that names none, and the head of the User-Agent. */
  readonly fieldManager?: string;
  /**
   * Updates leave out the managed fields that their objects were read with, often half of an object: the server keeps its own, which is what
   * becomes of them anyway. For who never changes them, as Kubernetes' controllers. Default: false.
   */
  readonly omitsManagedFields?: boolean;
  /** Given each text of a Warning header. */
  readonly onWarning?: (text: string) => void;
  /** For controllers that run with this client and have no log of their own. */
  readonly log?: ControllerLog;
  /** Where the failures of reconciles with this client are kept. Default: a record of its own. */
  readonly reconcileFailures?: ReconcileFailures;
}

/**
 * A client for one server: it makes clients of resources, discovers what the server offers, and closes its transport when disposed.
 */
export interface Client extends AsyncDisposable {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly namespace: string;
  readonly log: ControllerLog | undefined;
  /** Of the controllers that run with this client. */
  readonly reconcileFailures: ReconcileFailures;
  /** Objects of one resource: of the whole cluster, or of one namespace. */
  resource<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): ResourceClient<T>;
  /** What the server calls this kind, by discovery; kept until an answer shows that it is out of date. */
  refOf(kind: { readonly apiVersion: string; readonly kind: string }, opts?: Cancellable): Promise<ResourceRef>;
  /** All resources that the server offers now. */
  discover(opts?: Cancellable): Promise<Discovered>;
  /** A request of any path, with the client's retries but an answer as it came. @throws StatusError unless 2xx */
  request(request: TransportRequest): Promise<TransportResponse>;
  readonly transport: Transport;
  /** Another client with some things different, above all its transport, which is what it closes when disposed. */
  with(changes: Partial<ClientOptions>): Client;
}

/** Of requests that change something. */
export interface Repeatable extends Cancellable {
  /** Called before the request is sent again after an attempt that the server failed in: that may have taken effect. */
  readonly onRepeated?: (() => void) | undefined;
}

/**
 * Options of requests that write.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 */
export interface WriteOptions extends Repeatable {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/**
 * Options of a GET.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export interface GetOptions extends Cancellable {
  /** `"0"`: whatever the server has at hand. Default: the newest. */
  readonly resourceVersion?: string;
}

/**
 * What a LIST selects, and of which version.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export interface ListOptions extends Cancellable {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** How many objects one request brings. */
  readonly pageSize?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Objects come with nothing but their metadata; a server that cannot do that sends them whole. */
  readonly metadataOnly?: boolean;
}

/** All objects that were asked for, as they were at one resourceVersion. */
export interface ListResult<T> {
  readonly resourceVersion: string;
  readonly items: readonly T[];
}

/**
 * Options of a DELETE.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion
 */
export interface DeleteOptions extends Repeatable {
  /** Refused with 409 unless the object is the one meant. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  /** Called with the uid of the deleted object, where the server returns that instead of the object. */
  readonly onDeleted?: (uid: string) => void;
}

/**
 * A change in one of the three forms of patches that are not an apply.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update
 */
export type Patch =
  | { readonly type: "merge" | "strategic"; readonly patch: object }
  | { readonly type: "json"; readonly patch: readonly object[] };

/** Options of a PATCH: what is patched is the object, or one of its subresources. */
export interface PatchOptions extends WriteOptions {
  readonly subresource?: string;
}

/**
 * Options of a server-side apply.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export interface ApplyOptions extends PatchOptions {
  readonly fieldManager: string;
  /** Takes the fields that others own. Default: a conflict. */
  readonly force?: boolean;
}

/** Options of `ResourceClient.modify`. */
export interface ModifyOptions extends WriteOptions {
  /** What is written: the object itself, or only its status. */
  readonly subresource?: "status";
  /** How often, and how long apart. Default: `defaultRetry`. */
  readonly retry?: RetryBackoff;
}

/** A name alone means the namespace of this ResourceClient, or else the client's own. */
export type Target = string | ObjectRef;

/**
 * The verbs of one resource, of the whole cluster or of one namespace. Each throws a StatusError when the server refuses and a
 * ConnectionError when no answer came.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export interface ResourceClient<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly namespace: string | undefined;
  get(target: Target, opts?: GetOptions): Promise<T>;
  /** All objects, in pages behind the scenes, as one consistent snapshot. */
  list(opts?: ListOptions): Promise<ListResult<T>>;
  /** The same, one page in memory at a time. */
  pages(opts?: ListOptions): AsyncIterable<ListResult<T>>;
  /** Goes on until the signal is aborted: resumes, lists again on 410, backs off. See WatchEvent. */
  watch(opts?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create(object: T, opts?: WriteOptions): Promise<T>;
  /** With a resourceVersion in the object, 409 if it is not the newest; without one, whatever was written in between is lost. */
  update(object: T, opts?: WriteOptions): Promise<T>;
  updateStatus(object: T, opts?: WriteOptions): Promise<T>;
  /**
   * Reads, changes and writes, again from the start whenever another client was faster. `change` gets a copy that is its
   * own: it changes that or returns another. Nothing is written when nothing changes.
   * @throws RetriesExhausted when another client was faster each time
   */
  modify(target: Target, change: (draft: T) => T | void | Promise<T> | Promise<void>, opts?: ModifyOptions): Promise<T>;
  patch(target: Target, patch: Patch, opts?: PatchOptions): Promise<T>;
  /** Server-side apply. */
  apply(object: T, opts: ApplyOptions): Promise<T>;
  /** Resolves with the object as it was or, when finalizers hold it, as it is now; undefined when the server returns neither. */
  delete(target: Target, opts?: DeleteOptions): Promise<T | undefined>;
  /** Of one namespace, where the resource has them: servers refuse it for the whole cluster, so bind the ResourceClient to one. */
  deleteCollection(opts?: DeleteOptions & Pick<ListOptions, "labelSelector" | "fieldSelector">): Promise<void>;
  scale(target: Target, replicas: number, opts?: WriteOptions): Promise<void>;
  /** Any other subresource: `subresource("web-1", "eviction").create(eviction)`. */
  subresource(target: Target, name: string): Subresource;
}

/** The verbs of one subresource of one object, for what `ResourceClient` has no method of its own. */
export interface Subresource {
  get(opts?: GetOptions): Promise<KubeObject>;
  create(object: KubeObject, opts?: WriteOptions): Promise<KubeObject>;
  update(object: KubeObject, opts?: WriteOptions): Promise<KubeObject>;
}
