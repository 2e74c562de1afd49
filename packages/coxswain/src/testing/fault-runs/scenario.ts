/** One run of what is to be tried out under faults, on a cluster of its own whose time passes by itself. */
import type { Client } from "@coxswain/client";
import { messageOf, serviceUnavailable, systemClock } from "@coxswain/machinery";
import { VirtualClock } from "../chance-and-time/virtual-clock.ts";
import { type ClusterSnapshot, partsOfSnapshot } from "../cluster/snapshot.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import type { TestCluster } from "../cluster/test-cluster.ts";
import type { Fault } from "../faults/fault.ts";
import { FaultScript } from "../faults/fault-script.ts";
import type { OptionNames } from "../validation/options.ts";

/**
 * Starts what is to be tried out with `client`, on which things go wrong, makes happen what has to, waits for the outcome
 * and checks it. Throws when it is wrong.
 */
export type Scenario = (run: { readonly client: Client; readonly cluster: TestCluster; readonly signal: AbortSignal }) => Promise<unknown>;

/** What is tried out under faults, from which state, and how long a run may take. */
export interface ScenarioOptions {
  readonly scenario: Scenario;
  /** Where every run begins. Default: an empty cluster. */
  readonly from?: ClusterSnapshot;
  /** Default: all of `everyFault`. */
  readonly faults?: Readonly<Record<string, Fault>>;
  /** How long one run may take, in real time, before it counts as one that never ends. Default: 60,000. */
  readonly runTimeoutMs?: number;
  /** How far virtual time may go in one run. Default: a day. */
  readonly maxVirtualMs?: number;
  /** Called with each run before it begins. */
  readonly onRun?: (name: string) => void;
}

export const scenarioOptions: OptionNames<ScenarioOptions> = {
  scenario: true,
  from: true,
  faults: true,
  runTimeoutMs: true,
  maxVirtualMs: true,
  onRun: true,
};

/** What every controller has to live through, by the names that reports have for them. */
export const everyFault: Readonly<Record<string, Fault>> = {
  __proto__: null as never,
  conflict: { kind: "conflict" },
  unavailable: { kind: "status", error: serviceUnavailable("a fault script says so") },
  "lose-request": { kind: "lose-request" },
  "lose-answer": { kind: "lose-answer" },
  slow: { kind: "slow", ms: 20_000 },
  expired: { kind: "expired" },
  stale: { kind: "stale" },
  "drop-watch": { kind: "drop-watch" },
  "stall-watch": { kind: "stall-watch" },
  "end-watch": { kind: "end-watch" },
  "delay-events": { kind: "delay-events", ms: 20_000 },
};

export async function emptySnapshot(): Promise<ClusterSnapshot> {
  await using cluster = await startCluster({ clock: new VirtualClock() });
  return cluster.snapshot();
}

export interface Run {
  /** In messages. */
  readonly name: string;
  readonly seed: number;
  readonly from: ClusterSnapshot;
  readonly script: FaultScript;
}

/** Rejects as the scenario does, and when it does not end. */
export async function runScenario({ name, seed, from, script }: Run, options: ScenarioOptions): Promise<void> {
  const { scenario, runTimeoutMs = 60_000, maxVirtualMs = 86_400_000 } = options;
  const clock = new VirtualClock({ now: partsOfSnapshot(from).now, autoAdvance: true });
  await using cluster = await startCluster({ from, clock, seed });
  const client = cluster.clientFor({ name: "under-test" }, { faults: script });
  const over = Promise.withResolvers<never>();
  const ended = new AbortController();
  const tooLong = (limit: string) => () => over.reject(new Error(`${name} did not end within ${limit}`));
  using _ = systemClock.schedule(runTimeoutMs, tooLong(`${runTimeoutMs} ms`));
  using virtual = clock.schedule(maxVirtualMs, tooLong(`${maxVirtualMs} ms of virtual time`));
  virtual.unref();
  try {
    await Promise.race([scenario({ client, cluster, signal: ended.signal }), over.promise]);
  } finally {
    ended.abort(new Error(`${name} is over`));
  }
}

/** Of the second run without faults: the first one may have waited for modules to be loaded. */
export async function calmRun(run: Omit<Run, "script" | "name">, options: ScenarioOptions): Promise<FaultScript> {
  await runScenario({ ...run, name: "the first run without faults", script: new FaultScript() }, options);
  const script = new FaultScript();
  await runScenario({ ...run, name: "the second run without faults", script }, options);
  return script;
}

const maxListed = 10;

/** @throws AggregateError unless there are none; `again` says how to have the first one once more */
export function throwFailures(failures: readonly Error[], runs: number, again: string): void {
  if (failures.length === 0) return;
  const listed = failures.slice(0, maxListed).map(({ message }) => `  ${message}`);
  const more = failures.length > maxListed ? [`  and ${failures.length - maxListed} more`] : [];
  throw new AggregateError(failures, [`${failures.length} of ${runs} runs failed; ${again}`, ...listed, ...more].join("\n"));
}

/** Of what failed first, where clearing away after it failed too: its own message says nothing of either. */
export function failureMessageOf(error: unknown): string {
  if (isSuppressedError(error))
    return `${failureMessageOf(error.suppressed)}\n    and then, in clearing away: ${failureMessageOf(error.error)}`;
  return messageOf(error);
}

/** By its name: Node 22 has no such class, and `using` makes an Error of that name there. */
const isSuppressedError = (error: unknown): error is Error & { readonly error: unknown; readonly suppressed: unknown } =>
  error instanceof Error && error.name === "SuppressedError";
