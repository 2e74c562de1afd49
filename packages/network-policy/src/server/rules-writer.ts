/** What is done at each step: compute rules, write them, look whether they are still there. */
import type { ControllerLog } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import { type IpFamily, ipFamilies, type NextStep, type Nft, type SyncPeriods, type SyncState } from "@coxswain/proxy";
import type { PolicyMetrics } from "../metrics/policy-metrics.ts";
import { type NodeAddresses, policyTable } from "../nft/rules.ts";
import { type NodeRules, nodeRules } from "../rules/pod-rules.ts";
import { FamilyWriter } from "./family-writer.ts";
import type { ObservedCluster } from "./observed-cluster.ts";
import type { StartingPods } from "./starting-pods.ts";

/** The time between two looks at the tables is so many times as long as a look takes, at least. */
const verifyShare = 30;

/** For which node, and by what rules are written. */
export interface RulesWriterOptions extends SyncPeriods {
  readonly nodeName: string;
  /** Reads the tables of policies. */
  readonly nft: Nft;
  /** What counts as the node's own address beside those of its interfaces. */
  readonly nodeAddresses: NodeAddresses;
  /** Pods that kubelets announce before they start them; undefined: rules come when their status has their addresses. */
  readonly starting?: StartingPods;
}

/** What is shared with those that follow the cluster. */
export interface WriterParts {
  readonly cluster: ObservedCluster;
  readonly metrics: PolicyMetrics;
  readonly clock: Clock;
  readonly log: ControllerLog;
}

/** The tables of both families, one transaction at a time. */
export class RulesWriter {
  readonly #options: RulesWriterOptions;
  readonly #parts: WriterParts;
  readonly #families: readonly FamilyWriter[];
  #wake = Promise.withResolvers<void>();
  #state: Omit<SyncState, "staleAt">;

  constructor(options: RulesWriterOptions, parts: WriterParts) {
    this.#options = options;
    this.#parts = parts;
    this.#families = ipFamilies.map((family) => new FamilyWriter(family, options.nft, parts.clock));
    const now = parts.clock.monotonic();
    this.#state = { changedAt: undefined, syncedAt: undefined, verifiedAt: now, fullSyncAt: now, failures: 0 };
  }

  /** What decides what is next. */
  get state(): SyncState {
    const waits = this.#families.flatMap(({ staleInMs }) => staleInMs ?? []);
    return { ...this.#state, staleAt: waits.length === 0 ? undefined : this.#parts.clock.monotonic() + Math.min(...waits) };
  }

  /** Whether the tables have all that was wanted. */
  get isWritten(): boolean {
    return this.#families.every(({ isWritten }) => isWritten);
  }

  /** Whether rules follow what happens in the cluster. */
  get isHealthy(): boolean {
    const { changedAt } = this.#state;
    return changedAt === undefined || this.#parts.clock.monotonic() - changedAt < 2 * this.#options.syncMs;
  }

  /** Something is to be written. */
  noteChange(): void {
    this.#state = { ...this.#state, changedAt: this.#state.changedAt ?? this.#parts.clock.monotonic() };
    this.#wake.resolve();
  }

  /** Until then, or until something is noted. */
  async changedOr(ms: number, signal: AbortSignal): Promise<void> {
    this.#wake = Promise.withResolvers<void>();
    const { promise, resolve } = this.#wake;
    using _timer = this.#parts.clock.schedule(ms, resolve);
    const onAbort = (): void => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    await promise;
    signal.removeEventListener("abort", onAbort);
  }

  /** Failures are logged and tried again. */
  async perform(step: NextStep["step"], signal: AbortSignal): Promise<void> {
    switch (step) {
      case "full sync":
        for (const writer of this.#families) writer.forget();
        this.#state = { ...this.#state, fullSyncAt: this.#parts.clock.monotonic() };
        return await this.#write(signal);
      case "sync":
        return await this.#write(signal);
      case "verify":
        return await this.#verify(signal);
      case "delete stale chains":
        return await this.#deleteStale(signal);
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { clock, cluster, metrics } = this.#parts;
    const changedAt = this.#state.changedAt;
    this.#state = { ...this.#state, changedAt: undefined };
    const start = clock.monotonic();
    const settle = this.#options.starting?.snapshot();
    const rules = nodeRules(cluster.inputOf(this.#options.nodeName));
    metrics.computed(rules, (clock.monotonic() - start) / 1_000);
    const written: IpFamily[] = [];
    for (const writer of this.#families) if (await this.#writeFamily(writer, rules, signal)) written.push(writer.family);
    // A family that this machine does not have keeps no Pod of the other one waiting.
    settle?.(written);
    const failed = written.length < this.#families.length;
    const failures = failed ? this.#state.failures + 1 : 0;
    this.#state = { ...this.#state, syncedAt: clock.monotonic(), failures };
    // What came first waits longest, however often it is tried.
    if (failed) this.#state = { ...this.#state, changedAt: changedAt ?? start };
  }

  /** Whether it was written. */
  async #writeFamily(writer: FamilyWriter, rules: NodeRules, signal: AbortSignal): Promise<boolean> {
    const { clock, metrics, log } = this.#parts;
    const { family } = writer;
    const start = clock.monotonic();
    try {
      const kind = await writer.write(policyTable(family, rules, this.#options.nodeAddresses), signal);
      if (kind !== "none") metrics.synced(family, kind, (clock.monotonic() - start) / 1_000);
      metrics.syncedAt(family, clock.now());
      if (kind === "full") log.info({ family, pods: rules.pods.length }, "all rules of NetworkPolicies written");
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      metrics.syncFailed(family);
      log.error({ family, error }, "failed to write rules of NetworkPolicies; trying again");
      return false;
    }
  }

  async #verify(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    const start = clock.monotonic();
    for (const writer of this.#families) {
      const { family } = writer;
      try {
        const deviation = await writer.deviation(signal);
        if (deviation === undefined) continue;
        log.warn({ family, deviation }, "rules of NetworkPolicies are not as they were written; writing all of them again");
        writer.forget();
        this.noteChange();
      } catch (error) {
        if (signal.aborted) throw error;
        log.error({ family, error }, "failed to read the rules of NetworkPolicies");
      }
    }
    const end = clock.monotonic();
    // Where it takes long it is done less often, so that it takes a small part of all time.
    this.#state = { ...this.#state, verifiedAt: end + Math.max(0, verifyShare * (end - start) - this.#options.syncMs) };
  }

  async #deleteStale(signal: AbortSignal): Promise<void> {
    for (const writer of this.#families) {
      try {
        await writer.deleteStale(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#parts.log.error({ family: writer.family, error }, "failed to delete chains that nothing uses; writing all rules again");
        this.noteChange();
      }
    }
  }
}
