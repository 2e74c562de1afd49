/**
 * Finds nodes for Pods that have none.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
import { createSeriesRecorder, type EventRecorder, type Task, type TaskContext } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { ClusterCache } from "./cache/cluster-cache.ts";
import { followCluster, podInformer } from "./cache/follow-cluster.ts";
import { Attempts } from "./cycle/attempt.ts";
import { Background } from "./cycle/background.ts";
import { BindingsUnderWay } from "./cycle/bindings-under-way.ts";
import { addPod, filterNode, removePod } from "./cycle/filters.ts";
import { PodStatusWriter } from "./cycle/pod-status.ts";
import type { SchedulerParts } from "./cycle/scheduler-parts.ts";
import type { PodExplanation } from "./explain/explanation.ts";
import { Explanations } from "./explain/explanations.ts";
import { explainWaiting } from "./explain/waiting.ts";
import type { Extender } from "./framework/extender.ts";
import type { PluginHandle } from "./framework/plugin.ts";
import type { ProfileSpec } from "./framework/profile.ts";
import { SchedulerMetrics } from "./metrics.ts";
import { createProfile, type Profile } from "./profile/profile.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";

export interface SchedulerOptions {
  /** At least one; each has a schedulerName of its own, and all sort the queue alike. */
  readonly profiles: readonly ProfileSpec[];
  readonly extenders?: readonly Extender[];
  /** How many bindings and status writes may go on at once. Default: 100. */
  readonly parallelBindings?: number;
  /** Default: 1,000 and 10,000. */
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  /**
   * Follows all Pods, ended ones too, with the informer that others in the process have. Default: one of its own, that the
   * server tells of no Pod that has ended.
   */
  readonly sharedPods?: boolean;
  /** The machine that it runs on, as Events tell it. */
  readonly host?: string;
}

/** Runs once in each `run` of a manager: `startControllers([createScheduler({ profiles: [defaultProfile()] })], { client })`. */
export interface Scheduler extends Task {
  /** Resolves when it has begun to place Pods; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Why the Pod is where it is; undefined when nothing is known of it. */
  explain(namespace: string, name: string): PodExplanation | undefined;
}

/** @throws TypeError for profiles that do not go together */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const names = options.profiles.map(({ schedulerName }) => schedulerName);
  if (names.length === 0) throw new TypeError("a scheduler needs a profile");
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`two profiles are for schedulerName ${twice}`);
  const started = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  started.promise.catch(() => undefined);
  let running: SchedulerParts | undefined;
  return {
    name: "scheduler",
    component: names[0] ?? "",
    ready: started.promise,
    run: async (ctx, signal) => {
      const onReady = (parts: SchedulerParts): void => {
        running = parts;
        started.resolve();
      };
      try {
        await runScheduler(options, ctx, signal, onReady);
      } finally {
        started.reject(new Error("the scheduler has ended"));
      }
    },
    explain: (namespace, name) => (running === undefined ? undefined : explain(running, namespace, name)),
  };
}

/** So long attempts go on without letting anything else happen; milliseconds. */
const turnMs = 8;

async function runScheduler(
  options: SchedulerOptions,
  ctx: TaskContext,
  signal: AbortSignal,
  onReady: (parts: SchedulerParts) => void,
): Promise<void> {
  const { clock } = ctx.client;
  await using stack = new AsyncDisposableStack();
  const parts = assemble(options, ctx, signal, stack);
  try {
    await ctx.informers.synced({ signal });
    onReady(parts);
    const attempts = new Attempts(parts);
    let turn = clock.monotonic();
    while (!signal.aborted) {
      await parts.background.below(options.parallelBindings ?? 100);
      const waiting = signal.aborted ? undefined : parts.queue.pop();
      if (waiting === undefined) {
        await parts.queue.ready(signal);
        turn = clock.monotonic();
        continue;
      }
      await attempts.place(waiting, signal);
      if (clock.monotonic() - turn < turnMs) continue;
      await sleep(clock, 0, signal);
      turn = clock.monotonic();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function assemble(options: SchedulerOptions, ctx: TaskContext, signal: AbortSignal, stack: AsyncDisposableStack): SchedulerParts {
  const { client, informers, log } = ctx;
  const { clock } = client;
  const metrics = new SchedulerMetrics(ctx.metrics);
  const cache = new ClusterCache();
  const bindings = new BindingsUnderWay(clock);
  const host = options.host === undefined ? {} : { host: options.host };
  const recorders = new Map<string, EventRecorder>();
  for (const { schedulerName } of options.profiles)
    recorders.set(schedulerName, stack.use(createSeriesRecorder({ client, component: schedulerName, metrics: ctx.metrics, ...host })));
  const background = new Background(signal, (error) => log.warn({ error }, "work in the background failed"));
  stack.defer(() => background.ended());
  const profiles = new Map<string, Profile>();
  const [sorter] = options.profiles;
  const queue: SchedulingQueue = new SchedulingQueue({
    clock,
    metrics,
    profiles,
    less: (a, b) => profiles.get(sorter?.schedulerName ?? "")?.less(a, b) === true,
    initialBackoffMs: options.initialBackoffMs,
    maxBackoffMs: options.maxBackoffMs,
  });
  stack.defer(() => queue.close());
  const eventsOf = (schedulerName: string): EventRecorder => recorders.get(schedulerName) ?? ctx.events;
  const extenders = options.extenders ?? [];
  for (const spec of options.profiles) {
    const handleOf = (profile: () => Profile): PluginHandle => ({
      client,
      informers,
      events: eventsOf(spec.schedulerName),
      extenders,
      snapshot: () => cache.lastSnapshot,
      nominatedPods: (node) => queue.nominator.on(node),
      stopBinding: (uid, reason) => bindings.stop(uid, reason),
      waitingPods: () => bindings.waiting(),
      allowBinding: (uid, plugin) => bindings.allow(uid, plugin),
      activate: ({ uid }) => queue.activate(uid),
      background: (work) => background.start(work),
      runFilters: (state, pod, node) => filterNode(profile(), state, pod, { node, nominator: queue.nominator }),
      addPod: (state, pod, other, node) => addPod(profile(), state, { pod, other, node }),
      removePod: (state, pod, other, node) => removePod(profile(), state, { pod, other, node }),
    });
    profiles.set(spec.schedulerName, createProfile(spec, handleOf));
  }
  const sharedPods = options.sharedPods === true;
  const now = (): number => clock.monotonic();
  const podLease = stack.use(podInformer(informers, sharedPods));
  stack.use(followCluster({ cache, queue, bindings, profiles, metrics, now }, informers, { sharedPods }));
  for (const gauge of gaugesOf(metrics, { cache, queue, background })) stack.use(gauge);
  return {
    client,
    cache,
    queue,
    profiles,
    pods: podLease.informer.lister,
    status: new PodStatusWriter(client),
    extenders,
    bindings,
    background,
    explanations: new Explanations(),
    metrics,
    eventsOf,
    log,
  };
}

function gaugesOf(metrics: SchedulerMetrics, { cache, queue, background }: Pick<SchedulerParts, "cache" | "queue" | "background">) {
  const pending = (name: "active" | "backoff" | "unschedulable" | "gated"): Disposable =>
    metrics.gauge("scheduler_pending_pods", "Pods that wait, by queue", { queue: name }, () => queue.sizes[name]);
  const cached = (type: "nodes" | "pods" | "assumed"): Disposable => {
    const label = type === "assumed" ? "assumed_pods" : type;
    return metrics.gauge("scheduler_cache_size", "Nodes and Pods known", { type: label }, () => cache.sizes[type]);
  };
  return [
    ...(["active", "backoff", "unschedulable", "gated"] as const).map(pending),
    ...(["nodes", "pods", "assumed"] as const).map(cached),
    metrics.gauge("scheduler_goroutines", "Work beside the attempts", { operation: "binding" }, () => background.size),
  ];
}

function explain({ queue, explanations }: SchedulerParts, namespace: string, name: string): PodExplanation | undefined {
  const explained = explanations.of(`${namespace}/${name}`);
  if (explained === undefined) return undefined;
  const { uid, attempts } = explained;
  return { namespace, name, uid, waiting: explainWaiting(queue.find(uid)), attempts };
}
