/** Which reconciles fail, for people who wait for what should come of them. */
import type { ObjectRef, ResourceRef } from "./resource-ref.ts";

/** That the last reconcile of an object failed. It ends with the next one that does not. */
export interface ReconcileFailure {
  /** The controller's name. */
  readonly controller: string;
  readonly resource: ResourceRef;
  readonly object: ObjectRef;
  /** How often in a row it has failed. */
  readonly attempts: number;
  /** Whether it is tried again by itself; false after `Unretryable`. */
  readonly retried: boolean;
  /** What the last attempt threw. */
  readonly error: unknown;
  /** When, by the client's clock; milliseconds since the epoch. */
  readonly at: number;
}

/** The failing reconciles of all controllers that run with one client, or with clients made of it. */
export class ReconcileFailures {
  readonly #sources = new Set<() => readonly ReconcileFailure[]>();

  /** The latest first. */
  list(): readonly ReconcileFailure[] {
    return [...this.#sources].flatMap((source) => source()).sort((a, b) => b.at - a.at);
  }

  /** Disposing what it returns takes the source away. */
  add(source: () => readonly ReconcileFailure[]): Disposable {
    this.#sources.add(source);
    return { [Symbol.dispose]: () => void this.#sources.delete(source) };
  }
}
