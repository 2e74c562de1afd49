/**
 * Finds nodes for Pods that have none.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
import type { Task, TaskContext } from "@coxswain/client";
import { AsyncDisposableStack, sleep } from "@coxswain/machinery";
import { SchedulingCycle } from "../cycle/scheduling-cycle.ts";
import { explainWaiting } from "../explain/explain-waiting.ts";
import type { PodExplanation } from "../explain/explanation.ts";
import { type AssembledScheduler, assemble } from "./assemble.ts";
import type { SchedulerOptions } from "./options.ts";

/**
 * A Scheduler is a task that runs once in each `run` of a manager: `startControllers([createScheduler({ profiles:
 * [defaultProfile()] })], { client })`.
 */
export interface Scheduler extends Task {
  /** Resolves when it has begun to place Pods; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Why the Pod is where it is; undefined when nothing is known of it. */
  explain(namespace: string, name: string): PodExplanation | undefined;
}

/**
 * Makes a scheduler of profiles; it schedules once it runs in a manager. @throws TypeError for profiles that do not go
 * together
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const names = options.profiles.map(({ schedulerName }) => schedulerName);
  if (names.length === 0) throw new TypeError("a scheduler needs a profile");
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`two profiles are for schedulerName ${twice}`);
  const started = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  started.promise.catch(() => undefined);
  let running: AssembledScheduler | undefined;
  return {
    name: "scheduler",
    component: names[0] ?? "",
    ready: started.promise,
    run: async (ctx, signal) => {
      const onReady = (parts: AssembledScheduler): void => {
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
  onReady: (parts: AssembledScheduler) => void,
): Promise<void> {
  const { clock } = ctx.client;
  await using stack = new AsyncDisposableStack();
  const parts = assemble(options, ctx, { signal, stack });
  try {
    await ctx.informers.synced({ signal });
    onReady(parts);
    const cycle = new SchedulingCycle(parts.cycle);
    let turn = clock.monotonic();
    while (!signal.aborted) {
      await parts.background.belowMaxRequests();
      const queued = signal.aborted ? undefined : parts.queue.pop();
      if (queued === undefined) {
        await parts.queue.ready(signal);
        turn = clock.monotonic();
        continue;
      }
      await cycle.scheduleOne(queued, signal);
      if (clock.monotonic() - turn < turnMs) continue;
      await sleep(clock, 0, signal);
      turn = clock.monotonic();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A Pod that has not been tried yet has no attempts; one that is neither tried nor queued is not this scheduler's. */
function explain({ queue, explanations, pods }: AssembledScheduler, namespace: string, name: string): PodExplanation | undefined {
  const explained = explanations.of(`${namespace}/${name}`);
  const uid = explained?.uid ?? pods.get({ namespace, name })?.metadata?.uid ?? "";
  const waiting = explainWaiting(queue.find(uid));
  if (explained === undefined && waiting === undefined) return undefined;
  return { namespace, name, uid, waiting, attempts: explained?.attempts ?? [] };
}
