/** Figures of the enforcement of NetworkPolicies. */
import type { MetricsRegistry } from "@coxswain/machinery";
import type { IpFamily } from "@coxswain/proxy";
import type { NodeRules } from "../rules/pod-rules.ts";
import { directions } from "../rules/read-policy.ts";

const prefix = "network_policy_";
const durations = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** What is counted and measured. */
export interface PolicyMetrics {
  computed(rules: NodeRules, seconds: number): void;
  synced(family: IpFamily, kind: "full" | "partial", seconds: number): void;
  syncedAt(family: IpFamily, now: number): void;
  syncFailed(family: IpFamily): void;
}

/** Registers those of a node. */
export function policyMetrics(registry: MetricsRegistry, node: string): PolicyMetrics {
  const isolated = new Map(
    directions.map((direction) => [
      direction,
      registry.gauge(`${prefix}isolated_pods`, "Pods of the node that policies isolate in a direction", { node, direction }),
    ]),
  );
  const computation = registry.histogram(
    `${prefix}compute_duration_seconds`,
    "Duration of the computation of all rules",
    { node },
    durations,
  );
  return {
    computed: ({ pods }, seconds) => {
      computation.observe(seconds);
      for (const [direction, gauge] of isolated) gauge.set(pods.filter(({ allows }) => allows[direction] !== undefined).length);
    },
    synced: (family, kind, seconds) =>
      registry
        .histogram(`${prefix}sync_duration_seconds`, "Duration of writing rules, in seconds", { node, ip_family: family, kind }, durations)
        .observe(seconds),
    syncedAt: (family, now) =>
      registry
        .gauge(`${prefix}sync_last_timestamp_seconds`, "When the rules were last as they should be", { node, ip_family: family })
        .set(now / 1_000),
    syncFailed: (family) =>
      registry.counter(`${prefix}sync_failures_total`, "Writes of rules that failed", { node, ip_family: family }).add(),
  };
}
