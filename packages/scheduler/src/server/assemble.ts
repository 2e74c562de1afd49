/** Puts a scheduler together for one run. */
import { createSeriesRecorder, type EventRecorder, type TaskContext } from "@coxswain/client";
import { goQuote } from "@coxswain/machinery";
import { ClusterCache } from "../cache/cluster-cache.ts";
import { InFlightRequests } from "../cycle/in-flight-requests.ts";
import { PodStatusWriter } from "../cycle/pod-status.ts";
import type { SchedulerParts } from "../cycle/scheduler-parts.ts";
import { Explanations } from "../explain/explanations.ts";
import { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { Background } from "../runtime/background.ts";
import { createHandle } from "../runtime/create-handle.ts";
import { InFlightBindings } from "../runtime/in-flight-bindings.ts";
import { createProfile, type Profile } from "../runtime/profile.ts";
import { addAllEventHandlers, podInformer } from "./event-handlers.ts";
import type { SchedulerOptions } from "./scheduler.ts";

const defaultParallelBindings = 100;

/** What is to be ended goes onto the stack. Informers that are used from then on are to be waited for. */
export function assemble(
  options: SchedulerOptions,
  { client, informers, log, ...ctx }: TaskContext,
  { signal, stack }: { readonly signal: AbortSignal; readonly stack: AsyncDisposableStack },
): SchedulerParts {
  const { clock } = client;
  const metrics = new SchedulerMetrics(ctx.metrics, clock);
  const recorders = recordersOf(options, { client, metrics: ctx.metrics }, stack);
  const background = new Background(signal, (error) => log.warn({ error }, "work in the background failed"));
  stack.defer(() => background.ended());
  const profiles = new Map<string, Profile>();
  const queue = queueOf(options, { profiles, metrics, clock });
  stack.defer(() => queue.close());
  const base = {
    client,
    cache: new ClusterCache(),
    queue,
    profiles,
    status: new PodStatusWriter(client),
    extenders: options.extenders ?? [],
    bindings: new InFlightBindings(clock),
    background,
    requests: new InFlightRequests(options.parallelBindings ?? defaultParallelBindings),
    explanations: new Explanations(),
    metrics,
    eventsOf: (schedulerName: string) => recorders.get(schedulerName) ?? ctx.events,
    log,
  };
  for (const spec of options.profiles) {
    const { schedulerName } = spec;
    const services = { client, informers, events: base.eventsOf(schedulerName), extenders: base.extenders };
    profiles.set(
      schedulerName,
      createProfile(spec, (profile) => createHandle({ ...base, services }, profile)),
    );
  }
  checkSorters([...profiles.values()]);
  const sharedPods = options.sharedPods === true;
  const lease = stack.use(podInformer(informers, sharedPods));
  stack.use(addAllEventHandlers({ ...base, now: () => clock.monotonic() }, informers, { sharedPods }));
  for (const gauge of gaugesOf(base)) stack.use(gauge);
  return { ...base, pods: lease.informer.lister };
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
  { profiles, metrics, clock }: Pick<SchedulerParts, "profiles" | "metrics"> & Pick<TaskContext["client"], "clock">,
): SchedulingQueue {
  // All profiles sort alike.
  const less: Profile["less"] = (a, b) => profiles.get(first?.schedulerName ?? "")?.less(a, b) === true;
  return new SchedulingQueue({ clock, metrics, profiles, less, initialBackoffMs, maxBackoffMs });
}

function gaugesOf({
  metrics,
  cache,
  queue,
  requests: slots,
}: Pick<SchedulerParts, "metrics" | "cache" | "queue" | "requests">): Disposable[] {
  const pending = (name: "active" | "backoff" | "unschedulable" | "gated"): Disposable =>
    metrics.gauge("scheduler_pending_pods", "Pods that wait, by queue", { queue: name }, () => queue.sizes[name]);
  const cached = (type: "nodes" | "pods" | "assumed"): Disposable => {
    const label = type === "assumed" ? "assumed_pods" : type;
    return metrics.gauge("scheduler_cache_size", "Nodes and Pods known", { type: label }, () => cache.sizes[type]);
  };
  return [
    ...(["active", "backoff", "unschedulable", "gated"] as const).map(pending),
    ...(["nodes", "pods", "assumed"] as const).map(cached),
    metrics.gauge("scheduler_goroutines", "Work beside the attempts", { operation: "binding" }, () => slots.count),
  ];
}
