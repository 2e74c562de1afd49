/** Counts what probes find, for as long as there are containers. */
import type { MetricsRegistry } from "@coxswain/client";
import type { Pod } from "../pod/pod.ts";
import type { ProbeOutcome } from "./run-probe.ts";

export interface ProbeMetrics {
  count(
    pod: Pod,
    container: string,
    probeType: string,
    outcome: { readonly result: ProbeOutcome["result"]; readonly seconds: number },
  ): void;
  forget(pod: Pod, container: string, probeType: string): void;
}

export const noProbeMetrics: ProbeMetrics = { count: () => undefined, forget: () => undefined };

const total = "prober_probe_total";
const duration = "prober_probe_duration_seconds";
/** As Prometheus' clients have them. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function probeMetrics(registry: MetricsRegistry): ProbeMetrics {
  const labelsOf = ({ metadata = {} }: Pod, container: string, probeType: string) => ({
    probe_type: probeType,
    container,
    pod: metadata.name ?? "",
    namespace: metadata.namespace ?? "",
  });
  const counted = (pod: Pod, container: string, probeType: string, result: string) => ({
    ...labelsOf(pod, container, probeType),
    pod_uid: pod.metadata?.uid ?? "",
    result,
  });
  return {
    count(pod, container, probeType, { result, seconds }) {
      const help = "Cumulative number of a liveness, readiness or startup probe for a container by result.";
      registry.counter(total, help, counted(pod, container, probeType, result === "failure" ? "failed" : "successful")).add();
      if (result === "failure") return;
      registry
        .histogram(duration, "Duration in seconds for a probe response.", labelsOf(pod, container, probeType), buckets)
        .observe(seconds);
    },
    forget(pod, container, probeType) {
      for (const result of ["successful", "failed", "unknown"]) registry.remove(total, counted(pod, container, probeType, result));
      registry.remove(duration, labelsOf(pod, container, probeType));
    },
  };
}
