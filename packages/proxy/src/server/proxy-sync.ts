/** What the proxy does at each step: compute rules, write them, and put in order what depends on them. */
import type { ControllerLog } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import type { Conntrack } from "../conntrack/conntrack.ts";
import { staleEntries } from "../conntrack/stale-entries.ts";
import type { ProxyConfiguration } from "../contracts/configuration.ts";
import { type IpFamily, ipFamilies } from "../contracts/ip-family.ts";
import { type Listen, listen } from "../health/health-server.ts";
import type { ProxyHealth } from "../health/proxy-health.ts";
import { type CheckedService, ServiceHealthServers } from "../health/service-health.ts";
import type { ProxyMetrics } from "../metrics/proxy-metrics.ts";
import type { Nft } from "../nft/nft.ts";
import type { Ruleset } from "../ruleset/rules.ts";
import { nextRuleset } from "../ruleset/ruleset.ts";
import { rulesetInTurns } from "../ruleset/ruleset-in-turns.ts";
import type { ObservedService } from "../ruleset/service-rules.ts";
import { endpointsOf, localReadyAddresses } from "../services/endpoint.ts";
import { healthCheckNodePortOf, servicePortsOf } from "../services/service-port.ts";
import { FamilyProxier } from "./family-proxier.ts";
import type { NextStep, SyncPeriods, SyncState } from "./sync-schedule.ts";
import type { Changes, Tracker } from "./tracker.ts";

/** The time between two looks at the tables is so many times as long as a look takes, at least. */
const verifyShare = 30;

/** What writes rules, and with which configuration. */
export interface ProxySyncOptions extends Pick<SyncPeriods, "syncMs"> {
  readonly configuration: ProxyConfiguration;
  readonly nft: Nft;
  /** Undefined leaves tracked connections alone. */
  readonly conntrack: Conntrack | undefined;
  /** The addresses of the machine's interfaces now. */
  readonly interfaceAddresses: () => readonly string[];
  /** How the ports of health checks are opened. Default: in the network namespace of this process. */
  readonly listen?: Listen | undefined;
}

/** What the parts of a proxy share. */
export interface ProxyParts {
  readonly tracker: Tracker;
  readonly metrics: ProxyMetrics;
  readonly health: ProxyHealth;
  readonly clock: Clock;
  readonly log: ControllerLog;
}

/** The tables of both families and what goes with them. */
export class ProxySync implements AsyncDisposable {
  readonly #options: ProxySyncOptions;
  readonly #parts: ProxyParts;
  readonly #families: readonly FamilyProxier[];
  readonly #healthServers: ReadonlyMap<IpFamily, ServiceHealthServers>;
  readonly #rulesets = new Map<IpFamily, Ruleset>();
  #udpChanged = true;
  #conntrackMissing = false;
  #wake = Promise.withResolvers<void>();
  #state: Omit<SyncState, "staleAt">;

  constructor(options: ProxySyncOptions, parts: ProxyParts) {
    const { clock, health, log } = parts;
    this.#options = options;
    this.#parts = parts;
    this.#families = ipFamilies.map((family) => new FamilyProxier(family, options.nft, clock));
    const servers = (host: string) =>
      new ServiceHealthServers({
        hosts: [host],
        listen: options.listen ?? listen,
        isHealthy: () => health.isHealthy,
        onError: (service, error) => log.error({ service, error }, "failed to open the health check port of the Service"),
      });
    this.#healthServers = new Map([
      ["IPv4", servers("0.0.0.0")],
      ["IPv6", servers("::")],
    ]);
    const now = clock.monotonic();
    this.#state = { changedAt: undefined, syncedAt: undefined, verifiedAt: now, fullSyncAt: now, failures: 0 };
  }

  /** What decides what is next. */
  get state(): SyncState {
    const waits = this.#families.flatMap(({ staleInMs }) => staleInMs ?? []);
    return { ...this.#state, staleAt: waits.length === 0 ? undefined : this.#parts.clock.monotonic() + Math.min(...waits) };
  }

  /** Whether all rules were written once. */
  get hasSynced(): boolean {
    return this.#families.every(({ applied }) => applied !== undefined);
  }

  /** All copies are complete: the first sync is due. */
  start(): void {
    for (const { family } of this.#families) this.#parts.health.updated(family);
    this.noteChange();
  }

  /** Something is to be written. */
  noteChange(): void {
    const { clock, health, metrics } = this.#parts;
    for (const { family } of this.#families) {
      health.queuedUpdate(family);
      metrics.queuedAt(family, clock.now());
    }
    this.#state = { ...this.#state, changedAt: this.#state.changedAt ?? clock.monotonic() };
    this.#wake.resolve();
  }

  /** Until then, or until something is noted that was not before. */
  async changedOr(ms: number, signal: AbortSignal): Promise<void> {
    this.#wake = Promise.withResolvers<void>();
    const timer = this.#parts.clock.schedule(ms, this.#wake.resolve);
    const onAbort = this.#wake.resolve;
    signal.addEventListener("abort", () => onAbort(), { once: true });
    try {
      await this.#wake.promise;
    } finally {
      timer[Symbol.dispose]();
    }
  }

  /** Failures are logged and tried again. */
  async perform(step: NextStep["step"], signal: AbortSignal): Promise<void> {
    switch (step) {
      case "full sync":
        for (const proxier of this.#families) proxier.forget();
        return await this.#sync(signal);
      case "sync":
        return await this.#sync(signal);
      case "verify":
        return await this.#verify(signal);
      case "delete stale chains":
        return await this.#deleteStale(signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const servers of this.#healthServers.values()) await servers[Symbol.asyncDispose]();
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock, tracker, log } = this.#parts;
    const changes = tracker.takeChanges();
    const services = tracker.services();
    this.#state = { ...this.#state, changedAt: undefined };
    await this.#compute(changes, services);
    this.#udpChanged ||= changes.everything || [...changes.services].some((key) => hasUdp(services.get(key)));
    let wroteAll = true;
    let failed = false;
    for (const proxier of this.#families) {
      const kind = await this.#syncFamily(proxier, signal);
      wroteAll &&= kind === "full";
      failed ||= kind === "failed";
    }
    const now = clock.monotonic();
    const failures = failed ? this.#state.failures + 1 : 0;
    this.#state = { ...this.#state, syncedAt: now, failures, fullSyncAt: wroteAll ? now : this.#state.fullSyncAt };
    if (failed) this.#state = { ...this.#state, changedAt: this.#state.changedAt ?? now };
    for (const { family } of this.#families) await this.#healthServers.get(family)?.sync(checkedServices(services, family, this.#options));
    if (!failed && this.#udpChanged) {
      this.#udpChanged = false;
      await this.#cleanConntrack(services);
    }
    log.debug({ services: services.size }, "rules synced");
  }

  async #compute(changes: Changes, services: ReadonlyMap<string, ObservedService>): Promise<void> {
    const { configuration, interfaceAddresses } = this.#options;
    const node = this.#parts.tracker.nodeState(interfaceAddresses());
    for (const { family } of this.#families) {
      const input = { family, configuration, node, services };
      const before = this.#rulesets.get(family);
      this.#rulesets.set(
        family,
        before === undefined || changes.everything ? await rulesetInTurns(input) : nextRuleset(before, input, changes.services),
      );
    }
  }

  async #syncFamily(proxier: FamilyProxier, signal: AbortSignal): Promise<"full" | "partial" | "none" | "failed"> {
    const { clock, health, metrics, log } = this.#parts;
    const { family } = proxier;
    const ruleset = this.#rulesets.get(family);
    if (ruleset === undefined) return "none";
    const start = clock.monotonic();
    try {
      const { kind, commands } = await proxier.sync(ruleset, signal);
      metrics.synced(family, kind, (clock.monotonic() - start) / 1_000);
      metrics.syncedAt(family, clock.now());
      health.updated(family);
      if (kind === "full") log.info({ family, commands, services: ruleset.services.size }, "all rules written");
      return kind;
    } catch (error) {
      if (signal.aborted) throw error;
      metrics.syncFailed(family);
      log.error({ family, error }, "failed to write rules; trying again");
      return "failed";
    }
  }

  async #verify(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    const start = clock.monotonic();
    for (const proxier of this.#families) {
      try {
        const deviation = await proxier.deviation(signal);
        if (deviation === undefined) continue;
        log.warn({ family: proxier.family, deviation }, "rules are not as they were written; writing all of them again");
        proxier.forget();
        this.noteChange();
      } catch (error) {
        if (signal.aborted) throw error;
        log.error({ family: proxier.family, error }, "failed to read the rules");
      }
    }
    const end = clock.monotonic();
    // Where it takes long it is done less often, so that it takes a small part of all time.
    this.#state = { ...this.#state, verifiedAt: end + Math.max(0, verifyShare * (end - start) - this.#options.syncMs) };
  }

  async #deleteStale(signal: AbortSignal): Promise<void> {
    const { log, metrics } = this.#parts;
    for (const proxier of this.#families) {
      try {
        await proxier.deleteStale(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        metrics.cleanupFailed(proxier.family);
        log.error({ family: proxier.family, error }, "failed to delete chains that nothing uses; writing all rules again");
        this.noteChange();
      }
    }
  }

  async #cleanConntrack(services: ReadonlyMap<string, ObservedService>): Promise<void> {
    const { conntrack } = this.#options;
    const { clock, metrics, log } = this.#parts;
    if (conntrack === undefined || ![...services.values()].some(hasUdp)) return;
    for (const { family } of this.#families) {
      const start = clock.monotonic();
      try {
        const stale = staleEntries(await conntrack.listUdp(family), services.values(), family);
        const removed = await conntrack.remove(family, stale);
        metrics.conntrackCleaned(family, removed, (clock.monotonic() - start) / 1_000);
        this.#conntrackMissing = false;
      } catch (error) {
        if (this.#conntrackMissing) return;
        this.#conntrackMissing = true;
        const message = "failed to end tracked UDP connections; clients of endpoints that are gone go on sending to them until they pause";
        return log.warn({ family, error }, message);
      }
    }
  }
}

const hasUdp = (observed: ObservedService | undefined): boolean =>
  (observed?.service.spec?.ports ?? []).some(({ protocol }) => protocol === "UDP");

function checkedServices(
  services: ReadonlyMap<string, ObservedService>,
  family: IpFamily,
  { configuration }: ProxySyncOptions,
): readonly CheckedService[] {
  return [...services.values()].flatMap(({ service, slices }) => {
    const healthCheckNodePort = healthCheckNodePortOf(service);
    if (healthCheckNodePort === undefined || servicePortsOf(service, family).length === 0) return [];
    const localEndpoints = localReadyAddresses(endpointsOf(slices, family, configuration.nodeName));
    return [{ namespace: service.metadata?.namespace ?? "", name: service.metadata?.name ?? "", healthCheckNodePort, localEndpoints }];
  });
}
