/**
 * Looks each ten seconds whether the node runs short, and evicts one Pod at a time until it does not.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
 */
import type { coreV1 } from "@coxswain/api";
import { type EventRecorder, nodes, pods } from "@coxswain/client";
import { type Clock, sleep } from "@coxswain/machinery";
import type { Node } from "../node-status/node-object.ts";
import type { Pod } from "../pod/pod.ts";
import { type Levels, type NodePressure, pressureOf, resourceOf, type Shortage, shortages, type Threshold } from "./thresholds.ts";
import { evictionMessage, inOrderOfEviction, isCritical, overLimit, type PodUsage } from "./victims.ts";

/** What the eviction manager measures, by which thresholds, and how it evicts. */
export interface EvictionOptions {
  readonly clock: Clock;
  readonly thresholds: readonly Threshold[];
  readonly levels: () => Promise<Levels>;
  /** Of Pods that run here. */
  readonly usages: () => Promise<readonly PodUsage[]>;
  /** Ends the Pod for good, with phase Failed; resolves when its containers have ended. */
  readonly evict: (pod: Pod, why: EvictionReason) => Promise<void>;
  /** Frees what can be freed without evicting a Pod: dead containers and unused images. */
  readonly reclaim: (signal: AbortSignal) => Promise<void>;
  readonly events: Pick<EventRecorder, "record">;
  readonly node: () => Node | undefined;
  /** A pressure has begun or ended. */
  readonly changed: () => void;
  readonly log: { warn(fields: object, message: string): void };
}

export interface EvictionReason {
  readonly reason: "Evicted";
  readonly message: string;
  readonly graceSeconds: number;
  /** That the Pod had to go for its node's sake, and not for what it did itself. */
  readonly condition?: coreV1.PodCondition;
}

/**
 * The eviction manager ends Pods before the node runs out of what they use.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
 */
export interface Eviction {
  /** Those that hold, or have held within the last five minutes. */
  pressures(): ReadonlySet<NodePressure>;
  run(signal: AbortSignal): Promise<void>;
}

const monitoringMs = 10_000;
/** So long a pressure is reported after it was last seen: a node that swings would be filled and emptied in turn. */
const transitionMs = 5 * 60_000;

/** Makes an eviction manager that watches the node's resources once it runs. */
export function createEviction(options: EvictionOptions): Eviction {
  const { clock, log } = options;
  const lastSeen = new Map<NodePressure, number>();
  const pressures = (): ReadonlySet<NodePressure> => {
    const now = clock.monotonic();
    return new Set([...lastSeen].filter(([, at]) => now - at < transitionMs).map(([pressure]) => pressure));
  };
  let reported: ReadonlySet<NodePressure> = new Set();

  const synchronize = async (signal: AbortSignal): Promise<void> => {
    const usages = await options.usages();
    if (await evictOverLimit(options, usages)) return;
    let short = shortages(options.thresholds, await options.levels());
    for (const { signal } of short) lastSeen.set(pressureOf(signal), clock.monotonic());
    const now = pressures();
    if (now.symmetricDifference(reported).size > 0) options.changed();
    reported = now;
    if (short.some(({ signal }) => pressureOf(signal) === "DiskPressure")) {
      await options.reclaim(signal);
      short = shortages(options.thresholds, await options.levels());
    }
    const [worst] = short;
    if (worst !== undefined) await evictOne(options, usages, worst);
  };

  return {
    pressures,
    run: async (signal) => {
      while (!signal.aborted) {
        await sleep(clock, monitoringMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        await synchronize(signal).catch((error: unknown) => log.warn({ error }, "failed to measure the node's resources"));
      }
    },
  };
}

async function evictOverLimit({ evict, events }: EvictionOptions, usages: readonly PodUsage[]): Promise<boolean> {
  for (const usage of usages) {
    const message = overLimit(usage);
    if (message === undefined || isCritical(usage.pod)) continue;
    events.record(usage.pod, { type: "Warning", reason: "Evicted", message }, pods);
    await evict(usage.pod, { reason: "Evicted", message, graceSeconds: 1 });
    return true;
  }
  return false;
}

async function evictOne({ evict, events, node, log }: EvictionOptions, usages: readonly PodUsage[], shortage: Shortage): Promise<void> {
  const resource = resourceOf(shortage.signal);
  const about = node();
  if (about !== undefined)
    events.record(about, { type: "Warning", reason: "EvictionThresholdMet", message: `Attempting to reclaim ${resource}` }, nodes);
  const [victim] = inOrderOfEviction(usages, shortage).filter(({ pod }) => !isCritical(pod));
  if (victim === undefined) return log.warn({ resource }, "failed to find a Pod to evict from a node that runs short");
  const message = evictionMessage(victim, shortage);
  events.record(victim.pod, { type: "Warning", reason: "Evicted", message }, pods);
  const { generation } = victim.pod.metadata ?? {};
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "TerminationByKubelet",
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  await evict(victim.pod, { reason: "Evicted", message, graceSeconds: 0, condition });
}
