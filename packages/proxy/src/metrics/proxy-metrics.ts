/** Figures of the proxy, called as kube-proxy's. */
import type { MetricsRegistry } from "@coxswain/machinery";
import type { IpFamily } from "../contracts/ip-family.ts";

const prefix = "kubeproxy_";
const durations = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** What a proxy counts and measures. */
export interface ProxyMetrics {
  synced(family: IpFamily, kind: "full" | "partial" | "none", seconds: number): void;
  syncedAt(family: IpFamily, now: number): void;
  queuedAt(family: IpFamily, now: number): void;
  syncFailed(family: IpFamily): void;
  cleanupFailed(family: IpFamily): void;
  serviceChanged(): void;
  endpointsChanged(): void;
  healthAsked(endpoint: "healthz" | "livez", code: number): void;
  conntrackCleaned(family: IpFamily, entries: number, seconds: number): void;
}

/** Registers them. `pending` says how many Services wait to be written. */
export function proxyMetrics(registry: MetricsRegistry, pending: () => number): ProxyMetrics {
  const sync = (name: string, help: string) => (family: IpFamily) =>
    registry.histogram(`${prefix}${name}`, help, { ip_family: family }, durations);
  const all = sync("sync_proxy_rules_duration_seconds", "Duration of a sync of the rules, in seconds");
  const full = sync("sync_full_proxy_rules_duration_seconds", "Duration of a sync of all rules, in seconds");
  const partial = sync("sync_partial_proxy_rules_duration_seconds", "Duration of a sync of changed rules, in seconds");
  const count = (name: string, help: string, labels: Record<string, string> = {}) => registry.counter(`${prefix}${name}`, help, labels);
  const services = count("sync_proxy_rules_service_changes_total", "Changes of Services");
  const endpoints = count("sync_proxy_rules_endpoint_changes_total", "Changes of EndpointSlices");
  registry.gaugeOf(`${prefix}sync_proxy_rules_service_changes_pending`, "Services whose rules wait to be written", {}, pending);
  return {
    synced: (family, kind, seconds) => {
      all(family).observe(seconds);
      (kind === "full" ? full : partial)(family).observe(seconds);
    },
    syncedAt: (family, now) =>
      registry
        .gauge(`${prefix}sync_proxy_rules_last_timestamp_seconds`, "When the rules were last synced", { ip_family: family })
        .set(now / 1_000),
    queuedAt: (family, now) =>
      registry
        .gauge(`${prefix}sync_proxy_rules_last_queued_timestamp_seconds`, "When a sync was last asked for", { ip_family: family })
        .set(now / 1_000),
    syncFailed: (family) => count("sync_proxy_rules_nftables_sync_failures_total", "Syncs that failed", { ip_family: family }).add(),
    cleanupFailed: (family) =>
      count("sync_proxy_rules_nftables_cleanup_failures_total", "Deletions of chains that failed", { ip_family: family }).add(),
    serviceChanged: () => services.add(),
    endpointsChanged: () => endpoints.add(),
    healthAsked: (endpoint, code) => count(`proxy_${endpoint}_total`, `Answers of /${endpoint}`, { code: String(code) }).add(),
    conntrackCleaned: (family, entries, seconds) => {
      sync(
        "conntrack_reconciler_sync_duration_seconds",
        "Duration of a cleanup of connection tracking, in seconds",
      )(family).observe(seconds);
      count("conntrack_reconciler_deleted_entries_total", "Entries deleted from connection tracking", { ip_family: family }).add(entries);
    },
  };
}
