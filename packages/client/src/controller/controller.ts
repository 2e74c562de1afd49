/** Brings what is in line with what is wanted, one object at a time, whatever has happened in between. */
import type { KubeObject } from "@coxswain/machinery";
import type { ObjectRef, ResourceRef } from "../contracts/resource-ref.ts";
import type { RateLimiter } from "../workqueue/rate-limiter.ts";
import type { Outcome } from "./outcome.ts";
import type { ReconcileContext } from "./reconcile-context.ts";
import { itsController, itself, type Source, type SourceOptions, sourceOf } from "./source.ts";

/**
 * Level-triggered and idempotent: it gets the key of an object, never what has happened to it. One object is worked
 * on by one at a time. A throw means retry with backoff, but for Unretryable; a conflict is no more than a reason to retry.
 */
export type Reconcile<T extends KubeObject> = (ref: ObjectRef, ctx: ReconcileContext<T>) => Promise<Outcome>;

/** What `controller` makes a controller of: the resource that it reconciles, what wakes it, and its limits. */
export interface ControllerOptions<T extends KubeObject> extends SourceOptions<T> {
  /** In metrics and logs; one of its own in the process. */
  readonly name: string;
  /** Who says what it records as Events. Default: the manager's. */
  readonly component?: string;
  /** What is reconciled. */
  readonly for: ResourceRef<T>;
  /** What it makes: a change wakes the object that is its controller by owner reference. */
  readonly owns?: readonly ResourceRef[];
  /** What else wakes it, made with `watching`. */
  readonly watches?: readonly Source[];
  readonly reconcile: Reconcile<T>;
  /** How many objects at a time. Default: 1. */
  readonly concurrency?: number;
  /** Gives up on a reconcile that takes longer: its signal is aborted. Default: never. */
  readonly reconcileTimeoutMs?: number;
  /** How long a running reconcile has to end when the controller is stopped. Default: 30,000. */
  readonly stopGraceMs?: number;
  /** How long a reconcile waits for the caches to show what it wrote before. Default: 30,000. */
  readonly settleTimeoutMs?: number;
  /** Makes one per run. Default: client-go's, see `defaultRateLimiter`. */
  readonly rateLimiter?: () => RateLimiter;
}

/** A controller as `runControllers` takes it, whatever the type of its objects. */
export interface Controller {
  readonly name: string;
  readonly component: string | undefined;
  /** With whose rights it works, where the manager has clients for service accounts. */
  readonly serviceAccount?: string;
  readonly ref: ResourceRef;
  readonly namespace: string | undefined;
  /** The first is of what is reconciled. */
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile<KubeObject>;
  readonly concurrency: number;
  readonly reconcileTimeoutMs: number | undefined;
  readonly stopGraceMs: number;
  readonly settleTimeoutMs: number;
  readonly rateLimiter: (() => RateLimiter) | undefined;
}

/** Creates a controller, to be run by a manager. @throws TypeError for a name or a concurrency that makes no sense */
export function controller<T extends KubeObject>(options: ControllerOptions<T>): Controller {
  const { name, owns = [], watches = [], concurrency = 1, reconcile } = options;
  if (name === "") throw new TypeError("a controller needs a name");
  if (!Number.isInteger(concurrency) || concurrency < 1) throw new TypeError("concurrency must be 1 or more");
  const { namespace, labelSelector, fieldSelector, indexes, transform, predicate } = options;
  const selection = { namespace, labelSelector, fieldSelector, indexes, transform, predicate };
  return {
    name,
    component: options.component,
    ref: options.for,
    namespace,
    sources: [
      sourceOf<T>(options.for, itself, definedIn(selection)),
      ...owns.map((ref) => sourceOf(ref, itsController(options.for), {})),
      ...watches,
    ],
    // The first source brings objects of type T and no others.
    reconcile: (ref, ctx) => reconcile(ref, ctx as ReconcileContext<T>),
    concurrency,
    reconcileTimeoutMs: options.reconcileTimeoutMs,
    stopGraceMs: options.stopGraceMs ?? 30_000,
    settleTimeoutMs: options.settleTimeoutMs ?? 30_000,
    rateLimiter: options.rateLimiter,
  };
}

type Defined<O> = { [K in keyof O]?: Exclude<O[K], undefined> };

const definedIn = <O extends object>(options: O): Defined<O> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<O>;
