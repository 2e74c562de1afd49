/** Looks after containers as their probes say: one at a time for each, whoever asks, and nothing where there is none. */
import type { EventRecorder, MetricsRegistry } from "@coxswain/client";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import type { Dial } from "../probe/dial.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { noProbeMetrics, probeMetrics } from "./probe-metrics.ts";
import { ProbedPod, probedContainers } from "./probed-pod.ts";
import type { ProbeResults } from "./results.ts";
import type { Probing } from "./worker.ts";

/** Probes the containers of a node's Pods. */
export interface ProbeManager extends Disposable {
  /** Probes the containers of a Pod as they are now: begins with a new id, ends with it. `changed` is called when a result changes. */
  syncPod(pod: Pod, containers: readonly ContainerStatus[], podIp: string, changed: () => void): void;
  /** Of the container with this id. */
  results(podUid: string, containerId: string): ProbeResults;
  removePod(podUid: string): void;
}

/** What containers are probed by, and where results are counted. */
export interface ProbeManagerOptions {
  readonly runtime: Pick<PodRuntime, "execSync">;
  /** `networkDial`, or the runtime's own. */
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: Pick<EventRecorder, "record">;
  /** Those of `/metrics/probes`. */
  readonly metrics?: MetricsRegistry;
}

/**
 * Makes a manager that probes nothing until Pods are handed to it.
 * @see https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
 */
export function createProbeManager({ metrics, ...options }: ProbeManagerOptions): ProbeManager {
  const probing: Probing = {
    ...options,
    startedAt: options.clock.now(),
    metrics: metrics === undefined ? noProbeMetrics : probeMetrics(metrics),
  };
  const pods = new Map<string, ProbedPod>();
  return {
    syncPod(pod, containers, podIp, changed) {
      const uid = pod.metadata?.uid ?? "";
      const { phase } = pod.status ?? {};
      const state = { pod, containers, podIp, changed };
      const known = pods.get(uid) ?? (probedContainers(pod).length === 0 ? undefined : new ProbedPod(state, probing));
      if (known === undefined) return;
      pods.set(uid, known);
      if (phase === "Succeeded" || phase === "Failed") known.stop();
      else known.update(state);
    },
    results: (podUid, containerId) => pods.get(podUid)?.results(containerId) ?? nothingKnown,
    removePod(podUid) {
      pods.get(podUid)?.stop();
      pods.delete(podUid);
    },
    [Symbol.dispose]() {
      for (const pod of pods.values()) pod.stop();
      pods.clear();
    },
  };
}

const nothingKnown = { startup: undefined, readiness: undefined, liveness: undefined };
