/** Puts a scheduler together for one run. */
import { createSeriesRecorder, type EventRecorder, type TaskContext } from "@coxswain/client";
import { goQuote } from "@coxswain/machinery";
import { ClusterCache } from "./cache/cluster-cache.ts";
import { followCluster, podInformer } from "./cache/follow-cluster.ts";
import { Background } from "./cycle/background.ts";
import { BindingsUnderWay } from "./cycle/bindings-under-way.ts";
import { PodStatusWriter } from "./cycle/pod-status.ts";
import type { SchedulerParts } from "./cycle/scheduler-parts.ts";
import { Slots } from "./cycle/slots.ts";
import { Explanations } from "./explain/explanations.ts";
import { SchedulerMetrics } from "./metrics.ts";
import { pluginHandle } from "./profile/plugin-handle.ts";
import { createProfile, type Profile } from "./profile/profile.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { SchedulerOptions } from "./scheduler.ts";

const requestsAtOnce = 100;

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
    bindings: new BindingsUnderWay(clock),
    background,
    slots: new Slots(options.parallelBindings ?? requestsAtOnce),
    explanations: new Explanations(),
    metrics,
    eventsOf: (schedulerName: string) => recorders.get(schedulerName) ?? ctx.events,
    log,
  };
  for (const spec of options.profiles) {
    const { schedulerName } = spec;
    profiles.set(
      schedulerName,
      createProfile(spec, (profile) => pluginHandle({ ...base, informers }, schedulerName, profile)),
    );
  }
  checkSorters([...profiles.values()]);
  const sharedPods = options.sharedPods === true;
  const lease = stack.use(podInformer(informers, sharedPods));
  stack.use(followCluster({ ...base, now: () => clock.monotonic() }, informers, { sharedPods }));
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

function gaugesOf({ metrics, cache, queue, slots }: Pick<SchedulerParts, "metrics" | "cache" | "queue" | "slots">): Disposable[] {
  const pending = (name: "active" | "backoff" | "unschedulable" | "gated"): Disposable =>
    metrics.gauge("scheduler_pending_pods", "Pods that wait, by queue", { queue: name }, () => queue.sizes[name]);
  const cached = (type: "nodes" | "pods" | "assumed"): Disposable => {
    const label = type === "assumed" ? "assumed_pods" : type;
    return metrics.gauge("scheduler_cache_size", "Nodes and Pods known", { type: label }, () => cache.sizes[type]);
  };
  return [
    ...(["active", "backoff", "unschedulable", "gated"] as const).map(pending),
    ...(["nodes", "pods", "assumed"] as const).map(cached),
    metrics.gauge("scheduler_goroutines", "Work beside the attempts", { operation: "binding" }, () => slots.taken),
  ];
}
