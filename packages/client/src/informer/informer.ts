/** A local copy of one resource that follows the server and notifies subscribers. */
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { Subscriber } from "../cache/change.ts";
import type { Indexes, Lister } from "../cache/lister.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";

/** Which objects an informer follows, what it keeps of them, and how it judges its freshness. */
export interface InformerOptions<T extends KubeObject = KubeObject> {
  readonly clock: Clock;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects have nothing but kind, apiVersion and metadata, whatever their type says. */
  readonly metadataOnly?: boolean;
  readonly indexes?: Indexes<T>;
  /** Makes what is kept of what came; may change what it is given, must keep `metadata` as far as it names the object and its version. */
  readonly transform?: (object: T) => T;
  /** Notifies subscribers of every object again, this often. Default: never. */
  readonly resyncMs?: number;
  /** How long a watch may be silent before the copy counts as stale; servers send a bookmark about once a minute. Default: 150,000. */
  readonly staleAfterMs?: number;
  /** Whether objects are frozen deeply, so that a reader's mistake throws where it is made. Default: true. */
  readonly freeze?: boolean;
  /** Called at interruptions, and with what subscribers throw; without it `run` ends with what a subscriber throws. */
  readonly log?: InformerLog;
}

/** Where an informer logs: a subset of pino's logger. */
export interface InformerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** How well the copy follows the server. */
export interface Freshness {
  /**
   * `syncing`: nothing has come yet. `stale`: the watch is interrupted, or has been silent for too long, or has ended:
   * what the copy says was true once, and more may have happened since.
   */
  readonly state: "syncing" | "fresh" | "stale";
  /** When this state began: milliseconds since the epoch. */
  readonly since: number;
  /** Nothing that the server had done by this version is missing. Undefined until synced. */
  readonly resourceVersion: string | undefined;
}

/** What of a resource a copy has. */
export type InformerSelection = Pick<InformerOptions, "labelSelector" | "fieldSelector" | "metadataOnly">;

/** A local copy of one resource that a watch keeps up to date, as client-go's SharedIndexInformer. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly ref: ResourceRef<T>;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  readonly selection: InformerSelection;
  readonly lister: Lister<T>;
  /** Resolves with the first complete copy; rejects when `run` ends before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  readonly freshness: Freshness;
  /**
   * Notifies of every change, in order and at once, beginning with an initial `added` of each object that is there. What a
   * subscriber does in it holds up the others: let it do no more than queue.
   */
  subscribe(fn: Subscriber<T>): Disposable;
  /** Called when `freshness.state` changes. */
  onFreshness(fn: (freshness: Freshness) => void): Disposable;
  /** Called after everything that the watch delivered, bookmarks too, once the copy has it. */
  onProgress(fn: () => void): Disposable;
  /** Indexes what is there, and what comes. @throws TypeError when another function has the name */
  addIndexes(indexes: Indexes<T>): void;
  /**
   * Takes what a write or a consistent read answered, ahead of the watch. True when the copy now shows this version of
   * the object or a later one; false when only the watch can show that.
   */
  take(object: T): boolean;
  /** Follows the server until the signal is aborted; once only. */
  run(signal: AbortSignal): Promise<void>;
}
