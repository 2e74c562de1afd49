/** What is counted about a configuration that is followed while the server runs, under Kubernetes' names and with its words. */
import type { ConfigReloadMetrics } from "../contracts/access-metrics.ts";
import type { Definers } from "./definers.ts";
import { hashOf } from "./issuers.ts";

type Status = "failure" | "success";

export class ConfigReloads implements ConfigReloadMetrics {
  readonly counts: Record<Status, number> = { failure: 0, success: 0 };
  readonly last: Record<Status, number> = { failure: 0, success: 0 };
  /** Of the document that counts; undefined where there is none. */
  applied: string | undefined;

  start(text: string): void {
    this.applied = hashOf(text);
  }

  succeed(text: string, at: number): void {
    this.applied = hashOf(text);
    this.#count("success", at);
  }

  /** What was there goes on to count. */
  fail(at: number): void {
    this.#count("failure", at);
  }

  #count(status: Status, at: number): void {
    this.counts[status]++;
    this.last[status] = at;
  }
}

/** @param serverId by which the servers of a cluster are told apart */
export function exposeConfigReloads(
  { counter, gauge }: Definers,
  what: "authentication" | "authorization" | "encryption",
  { reloads, serverId }: { readonly reloads: ConfigReloads; readonly serverId: string },
): void {
  const { applied, counts, last } = reloads;
  if (applied === undefined) return;
  const name = `apiserver_${what}_config_controller`;
  const server = { apiserver_id_hash: hashOf(serverId) };
  const happened = (["failure", "success"] as const).filter((status) => counts[status] > 0);
  counter(
    `${name}_automatic_reloads_total`,
    `[BETA] Total number of automatic reloads of ${what} configuration split by status and apiserver identity.`,
    happened.map((status) => [{ ...server, status }, counts[status]] as const),
  );
  gauge(
    `${name}_automatic_reload_last_timestamp_seconds`,
    `[BETA] Timestamp of the last automatic reload of ${what} configuration split by status and apiserver identity.`,
    happened.map((status) => [{ ...server, status }, last[status]] as const),
  );
  gauge(
    `${name}_last_config_info`,
    `[ALPHA] Information about the last applied ${what} configuration with hash as label, split by apiserver identity.`,
    [[{ ...server, hash: applied }, 1]],
  );
}
