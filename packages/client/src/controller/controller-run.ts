/** One run of one controller: its queue, its workers, and their end. */

import { type Clock, DisposableStack, isConflict, isNamespaceTerminating, type MetricsRegistry } from "@coxswain/machinery";
import type { Lister } from "../cache/lister.ts";
import type { Client } from "../contracts/client.ts";
import type { ControllerLog } from "../contracts/controller-log.ts";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import { CacheBehindError, createExpectations, type Expectations } from "../expectations/expectations.ts";
import type { InformerSet } from "../informer/informer-set.ts";
import { within } from "../informer/within.ts";
import { withFields } from "../logging/controller-log.ts";
import { isWorthLogging, loggedError } from "../logging/logged-error.ts";
import { isObjectNotFound } from "../rest/object-not-found.ts";
import { exposeQueue, queueObserver } from "../workqueue/queue-metrics.ts";
import { type Claim, createWorkQueue, type WorkQueue } from "../workqueue/work-queue.ts";
import { cacheOf, ownedBy } from "./caches.ts";
import type { Controller } from "./controller.ts";
import { type ControllerMetrics, controllerMetrics, type ReconcileResult } from "./controller-metrics.ts";
import type { FailureRecord } from "./failure-record.ts";
import { type Outcome, Unretryable } from "./outcome.ts";
import { createPacing, idOf, type Pacing } from "./pacing.ts";
import { LazyContext } from "./reconcile-context.ts";
import type { SourceConnection } from "./source.ts";

export interface RunSetting {
  /** Writes only while it may: fenced where there is a leader. */
  readonly client: Client;
  /** Reads what the caches show, where `client` may not. */
  readonly reader: Client | undefined;
  readonly informers: InformerSet;
  readonly connections: readonly SourceConnection[];
  readonly metrics: MetricsRegistry;
  readonly log: ControllerLog;
  readonly events: EventRecorder;
  readonly failures: FailureRecord;
}

/** Reconciles until the signal is aborted and what runs then has ended. @throws Error naming what has not within the grace */
export async function runController(controller: Controller, setting: RunSetting, signal: AbortSignal): Promise<void> {
  const { name, concurrency, stopGraceMs } = controller;
  const { client, metrics, connections } = setting;
  const log = withFields(setting.log, { controller: name });
  using queue = createWorkQueue<ObjectRef>({
    clock: client.clock,
    observer: queueObserver(metrics, name),
    idOf,
    ...(controller.rateLimiter === undefined ? {} : { rateLimiter: controller.rateLimiter() }),
  });
  using _gauges = exposeQueue(metrics, name, () => queue.stats);
  const pacing = createPacing(queue, client.clock);
  const run = new ControllerRun(controller, { ...setting, log }, queue, pacing);
  using subscriptions = new DisposableStack();
  const failed = (error: unknown): void => log.error({ error }, "failed to map a change to the objects to reconcile");
  for (const connection of connections) subscriptions.use(connection.begin(pacing.add, failed));
  const workers = Promise.all(Array.from({ length: concurrency }, () => run.work(signal)));
  await Promise.race([aborted(signal), workers]);
  await within(workers, client.clock, { timeoutMs: stopGraceMs }, () => run.overdue());
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

class ControllerRun {
  readonly #controller: Controller;
  readonly #setting: RunSetting;
  readonly #queue: WorkQueue<ObjectRef>;
  readonly #pacing: Pacing;
  readonly #clock: Clock;
  readonly #metrics: ControllerMetrics;
  readonly #ownWrites: Expectations;
  readonly #main: Lister;
  readonly #running = new Set<ObjectRef>();

  constructor(controller: Controller, setting: RunSetting, queue: WorkQueue<ObjectRef>, pacing: Pacing) {
    const [first] = setting.connections;
    if (first === undefined) throw new TypeError("a controller needs something to reconcile");
    this.#controller = controller;
    this.#setting = setting;
    this.#queue = queue;
    this.#pacing = pacing;
    this.#clock = setting.client.clock;
    this.#metrics = controllerMetrics(setting.metrics, controller.name, controller.concurrency);
    // What others follow a reconcile does not read, and need not wait for.
    const read = new Set(setting.connections.map(({ informer }) => informer));
    const covering: InformerSet["covering"] = (resource, namespace) =>
      setting.informers.covering(resource, namespace).filter((informer) => read.has(informer));
    this.#ownWrites = createExpectations(setting.client, { covering }, setting.reader);
    this.#main = first.informer.lister;
  }

  async work(signal: AbortSignal): Promise<void> {
    for await (using claim of this.#queue.claims(signal)) {
      this.#metrics.working(1);
      this.#running.add(claim.key);
      this.#pacing.began(claim.key);
      const startedAt = this.#clock.monotonic();
      const result = await this.#reconcile(claim, signal);
      const tookMs = this.#clock.monotonic() - startedAt;
      this.#metrics.ended(result, tookMs);
      this.#pacing.ended(claim.key, tookMs);
      this.#running.delete(claim.key);
      this.#metrics.working(-1);
    }
  }

  overdue(): Error {
    const names = Array.from(this.#running, ({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`));
    return new Error(`the controller ${this.#controller.name} did not end in time: it still reconciles ${names.join(", ")}`);
  }

  /** Never rejects. */
  async #reconcile(claim: Claim<ObjectRef>, signal: AbortSignal): Promise<ReconcileResult> {
    try {
      if (!this.#ownWrites.satisfied(claim.key))
        await this.#ownWrites.untilSatisfied(claim.key, { signal, timeoutMs: this.#controller.settleTimeoutMs });
      const outcome = await this.#call(claim, signal);
      this.#setting.failures.succeeded(claim.key);
      return this.#applyOutcome(claim, outcome);
    } catch (error) {
      this.#handleError(claim, error, signal);
      return "error";
    }
  }

  async #call(claim: Claim<ObjectRef>, signal: AbortSignal): Promise<Outcome> {
    const { reconcileTimeoutMs, reconcile } = this.#controller;
    if (reconcileTimeoutMs === undefined) return await reconcile(claim.key, this.#contextOf(claim, signal));
    const late = new AbortController();
    using _ = this.#clock.schedule(reconcileTimeoutMs, () => {
      this.#metrics.timedOut();
      late.abort(new Error(`the reconcile takes longer than ${reconcileTimeoutMs} ms`));
    });
    return await reconcile(claim.key, this.#contextOf(claim, AbortSignal.any([signal, late.signal])));
  }

  #applyOutcome(claim: Claim<ObjectRef>, outcome: Outcome): ReconcileResult {
    if (outcome.kind === "done") return "success";
    if (outcome.afterMs > 0) {
      this.#queue.add(claim.key, { afterMs: outcome.afterMs });
      return "requeue_after";
    }
    claim.retry();
    return "requeue";
  }

  #handleError(claim: Claim<ObjectRef>, error: unknown, signal: AbortSignal): void {
    const { log, failures: record } = this.#setting;
    const failures = claim.failures + 1;
    const retried = !(error instanceof Unretryable);
    const failure = { controller: this.#controller.name, resource: this.#controller.ref, object: claim.key, attempts: failures };
    if (isNamespaceTerminating(error)) record.succeeded(claim.key);
    else if (!signal.aborted) record.failed({ ...failure, retried, error, at: this.#clock.now() });
    const fields = { ...claim.key, failures, error: loggedError(error) };
    if (!retried) {
      this.#metrics.gaveUp();
      log.error(fields, "failed to reconcile; not retried");
      return;
    }
    if (isNamespaceTerminating(error)) {
      log.debug(fields, "failed to reconcile in a terminating namespace; not retried");
      return;
    }
    claim.retry();
    if (signal.aborted) log.debug(fields, "reconcile stopped");
    else if (isConflict(error)) log.debug(fields, "failed to reconcile because of a conflict; retried");
    // Whoever writes its status loses against who deletes it.
    else if (claim.failures === 0 && isObjectNotFound(error, this.#controller.ref, claim.key.name))
      log.debug(fields, "failed to reconcile an object deleted meanwhile; retried");
    else if (error instanceof CacheBehindError)
      log[isWorthLogging(failures) ? "warn" : "debug"](fields, "failed to reconcile with caches behind own writes; retried");
    else log[isWorthLogging(failures) ? "error" : "debug"](fields, "failed to reconcile");
  }

  #contextOf({ key: ref, failures }: Claim<ObjectRef>, signal: AbortSignal): LazyContext {
    return new LazyContext({
      ref,
      signal,
      failures,
      main: this.#main,
      cacheOf: (resource) => cacheOf(this.#setting.connections, resource),
      ownedBy: (resource, uid) => ownedBy(this.#setting.connections, resource, uid),
      client: () => this.#ownWrites.clientFor(ref),
      log: () => withFields(this.#setting.log, ref),
      events: () => this.#setting.events,
    });
  }
}
