/** Puts a scheduler together for one run. */
import { type Clock, createSeriesRecorder, type EventRecorder, type Lister, type TaskContext } from "@coxswain/client";
import { type AsyncDisposableStack, goQuote } from "@coxswain/machinery";
import { ClusterCache } from "../cache/cluster-cache.ts";
import type { BindingParts } from "../cycle/binding-cycle.ts";
import { FailureHandler } from "../cycle/failure-handler.ts";
import { PodStatusWriter } from "../cycle/pod-status.ts";
import type { Reporter } from "../cycle/reporter.ts";
import type { SchedulingParts } from "../cycle/scheduling-cycle.ts";
import { Explanations } from "../explain/explanations.ts";
import type { Pod } from "../framework/pod-info.ts";
import { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { BackgroundWork } from "../runtime/background-work.ts";
import { createHandle } from "../runtime/create-handle.ts";
import { InFlightBindings } from "../runtime/in-flight-bindings.ts";
import { createProfile, type Profile } from "../runtime/profile.ts";
import { addAllEventHandlers, podInformer } from "./event-handlers.ts";
import type { SchedulerOptions } from "./options.ts";

const defaultParallelBindings = 100;

/** An AssembledScheduler is ready to run once its informers have synced. */
export interface AssembledScheduler {
  readonly cycle: SchedulingParts;
  readonly queue: SchedulingQueue;
  readonly background: BackgroundWork;
  readonly explanations: Explanations;
  readonly pods: Pick<Lister<Pod>, "get">;
}

/** What has to be closed at the end goes onto the stack. The caller waits for the informers that this begins to use. */
export function assemble(
  options: SchedulerOptions,
  ctx: TaskContext,
  { signal, stack }: { readonly signal: AbortSignal; readonly stack: AsyncDisposableStack },
): AssembledScheduler {
  const { client, informers } = ctx;
  const { clock, random } = client;
  const { extenders = [], parallelBindings: maxRequests = defaultParallelBindings, sharedPods = false } = options;
  const report = reporterOf(options, ctx, stack);
  const { explanations, log, metrics } = report;
  const background = new BackgroundWork({
    signal,
    maxRequests,
    onError: (error) => log.warn({ error }, "failed to finish background work"),
  });
  stack.defer(() => background.ended());
  const profiles = new Map<string, Profile>();
  const queue = queueOf(options, { profiles, metrics, clock });
  stack.defer(() => queue.close());
  const base = { cache: new ClusterCache(), queue, bindings: new InFlightBindings(clock), background };
  for (const spec of options.profiles) {
    const { schedulerName } = spec;
    const services = { client, informers, events: report.eventsOf(schedulerName), extenders };
    profiles.set(
      schedulerName,
      createProfile(spec, (profile) => createHandle({ ...base, services }, profile)),
    );
  }
  checkSorters([...profiles.values()]);
  const pods = stack.use(podInformer(informers, sharedPods)).informer.lister;
  stack.use(addAllEventHandlers({ ...base, profiles, metrics, now: () => clock.monotonic() }, informers, { sharedPods }));
  for (const gauge of gaugesOf({ ...base, metrics })) stack.use(gauge);
  const status = new PodStatusWriter(client);
  const failures = new FailureHandler({ queue, pods, status, background, report });
  const binding: BindingParts = { ...base, extenders, status, failures, report };
  return { cycle: { profiles, random, binding }, queue, background, explanations, pods };
}

function reporterOf(options: SchedulerOptions, ctx: TaskContext, stack: AsyncDisposableStack): Reporter {
  const { client, log } = ctx;
  const recorders = recordersOf(options, { client, metrics: ctx.metrics }, stack);
  return {
    clock: client.clock,
    metrics: new SchedulerMetrics(ctx.metrics, client.clock),
    explanations: new Explanations(),
    log,
    eventsOf: (schedulerName) => recorders.get(schedulerName) ?? ctx.events,
  };
}

/** By schedulerName: each profile speaks for itself. */
function recordersOf(
  { profiles, host }: SchedulerOptions,
  { client, metrics }: Pick<TaskContext, "client" | "metrics">,
  stack: AsyncDisposableStack,
): ReadonlyMap<string, EventRecorder> {
  const where = host === undefined ? {} : { host };
  return new Map(
    profiles.map(({ schedulerName: component }) => [component, stack.use(createSeriesRecorder({ client, component, metrics, ...where }))]),
  );
}

/** There is one queue. @throws TypeError in kube-scheduler's words */
function checkSorters([first, ...others]: readonly Profile[]): void {
  const odd = others.find(({ sorter }) => sorter !== first?.sorter);
  if (odd === undefined || first === undefined) return;
  const [name, sorter] = [odd.schedulerName, odd.sorter].map(goQuote);
  throw new TypeError(`different queue sort plugins for profile ${name}: ${sorter}, first: ${goQuote(first.sorter)}`);
}

function queueOf(
  { profiles: [first], initialBackoffMs, maxBackoffMs }: SchedulerOptions,
  {
    profiles,
    metrics,
    clock,
  }: { readonly profiles: ReadonlyMap<string, Profile>; readonly metrics: SchedulerMetrics; readonly clock: Clock },
): SchedulingQueue {
  // All profiles sort alike.
  const less: Profile["less"] = (a, b) => profiles.get(first?.schedulerName ?? "")?.less(a, b) === true;
  return new SchedulingQueue({ clock, metrics, profiles, less, initialBackoffMs, maxBackoffMs });
}

interface GaugeSources {
  readonly metrics: SchedulerMetrics;
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly background: BackgroundWork;
}

function gaugesOf({ metrics, cache, queue, background }: GaugeSources): Disposable[] {
  const pending = (name: "active" | "backoff" | "unschedulable" | "gated"): Disposable =>
    metrics.gauge("scheduler_pending_pods", "Pods that wait, by queue", { queue: name }, () => queue.sizes[name]);
  const cached = (type: "nodes" | "pods" | "assumed"): Disposable => {
    const label = type === "assumed" ? "assumed_pods" : type;
    return metrics.gauge("scheduler_cache_size", "Nodes and Pods known", { type: label }, () => cache.sizes[type]);
  };
  return [
    ...(["active", "backoff", "unschedulable", "gated"] as const).map(pending),
    ...(["nodes", "pods", "assumed"] as const).map(cached),
    metrics.gauge("scheduler_goroutines", "Work beside the attempts", { operation: "binding" }, () => background.requestsInFlight),
  ];
}
