/** Tries out each fault at each step of what a client does: the systematic way to find the one that hurts. */
import type { Client } from "@coxswain/client";
import { serviceUnavailable, systemClock } from "@coxswain/machinery";
import { type ClusterSnapshot, partsOfSnapshot } from "../snapshot.ts";
import { startCluster } from "../start-cluster.ts";
import type { TestCluster } from "../test-cluster.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { canHit, type Fault } from "./fault.ts";
import { FaultScript, isWatchFault, type Step } from "./fault-script.ts";
import { describeRequest } from "./seen-request.ts";

/** What every controller has to live through, by the names that reports have for them. */
export const everyFault: Readonly<Record<string, Fault>> = {
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

/** Starts what is to be tried out with `client`, makes happen what has to, waits for the outcome and checks it. Throws when it is wrong. */
export type Scenario = (run: { readonly client: Client; readonly cluster: TestCluster; readonly signal: AbortSignal }) => Promise<unknown>;

export interface EveryStepOptions {
  readonly scenario: Scenario;
  /** Where every run begins. Default: an empty cluster. */
  readonly from?: ClusterSnapshot;
  /** Default: all of `everyFault`. */
  readonly faults?: Readonly<Record<string, Fault>>;
  /** Of every run. Default: 1. */
  readonly seed?: number;
  /** One run alone, as a report names it: `lose-answer@7`. */
  readonly only?: string;
  /** How long one run may take, in real time. Default: 10,000. */
  readonly runTimeoutMs?: number;
  /** How far virtual time may go in one run. Default: a day. */
  readonly longestMs?: number;
  /** Told of each run before it begins. */
  readonly onRun?: (name: string) => void;
}

export interface EveryStepResult {
  /** Of a run without faults: requests and events, in order. */
  readonly steps: readonly Step[];
  /** With a fault each. */
  readonly runs: number;
}

/**
 * Every run is on a cluster of its own that begins with the same state, seed and time, and whose time passes by itself.
 * @throws AggregateError with every run that failed, and how to have it again
 */
export async function everyFaultAtEveryStep(options: EveryStepOptions): Promise<EveryStepResult> {
  const { faults = everyFault, only, seed = 1 } = options;
  const from = options.from ?? (await emptySnapshot());
  const steps = await stepsWithoutFaults(from, options);
  const failures: Error[] = [];
  let runs = 0;
  for (const [i, step] of steps.entries()) {
    for (const [kind, fault] of Object.entries(faults)) {
      const name = `${kind}@${i + 1}`;
      if (!canHitStep(fault, step) || (only !== undefined && only !== name)) continue;
      runs++;
      options.onRun?.(name);
      const failure = await run(from, options, new FaultScript([{ fault, step: i + 1 }], { seed }), name).then(
        (script) => (script.fired.length > 0 || fault.kind === "stale" ? undefined : new Error("it did not come to this step")),
        (error: unknown) => error,
      );
      if (failure !== undefined) failures.push(new Error(`${name} (${describeStep(step)}): ${messageOf(failure)}`, { cause: failure }));
    }
  }
  if (only !== undefined && runs === 0) throw new RangeError(`no run is called ${only}`);
  if (failures.length > 0) throw new AggregateError(failures, report(failures, runs, seed));
  return { steps, runs };
}

async function emptySnapshot(): Promise<ClusterSnapshot> {
  await using cluster = await startCluster({ clock: new VirtualClock() });
  return cluster.snapshot();
}

/** Of the second run: the first one may have waited for modules to be loaded. */
async function stepsWithoutFaults(from: ClusterSnapshot, options: EveryStepOptions): Promise<readonly Step[]> {
  await run(from, options, new FaultScript(), "the first run without faults");
  const script = await run(from, options, new FaultScript(), "the second run without faults");
  return [...script.steps];
}

async function run(
  from: ClusterSnapshot,
  { scenario, seed = 1, runTimeoutMs = 10_000, longestMs = 86_400_000 }: EveryStepOptions,
  script: FaultScript,
  name: string,
): Promise<FaultScript> {
  await using cluster = await startCluster({ from, clock: new VirtualClock({ now: partsOfSnapshot(from).now, autoAdvance: true }), seed });
  const client = cluster.clientFor({ name: "under-test" }, { faults: script });
  const over = Promise.withResolvers<never>();
  const ended = new AbortController();
  const tooLong = (limit: string) => () => over.reject(new Error(`${name} did not end within ${limit}`));
  using _ = systemClock.schedule(runTimeoutMs, tooLong(`${runTimeoutMs} ms`));
  using virtual = cluster.clock.schedule(longestMs, tooLong(`${longestMs} ms of virtual time`));
  virtual.unref();
  try {
    await Promise.race([scenario({ client, cluster, signal: ended.signal }), over.promise]);
    return script;
  } finally {
    ended.abort(new Error(`${name} is over`));
  }
}

/** That a watch breaks before its first event is tried out at that event. */
function canHitStep(fault: Fault, step: Step): boolean {
  if (step.kind === "event") return isWatchFault(fault);
  return canHit(fault, step.request) && (step.request.verb !== "watch" || fault.kind === "expired" || !isWatchFault(fault));
}

function describeStep(step: Step): string {
  const request = describeRequest(step.request);
  return step.kind === "request" ? request : `event ${step.event} of ${request}`;
}

const mostTold = 10;

function report(failures: readonly Error[], runs: number, seed: number): string {
  const told = failures.slice(0, mostTold).map(({ message }) => `  ${message}`);
  const more = failures.length > mostTold ? [`  and ${failures.length - mostTold} more`] : [];
  const again = failures[0]?.message.split(" ", 1)[0];
  return [
    `${failures.length} of ${runs} runs failed with seed ${seed}; one of them again: { only: "${again}", seed: ${seed} }`,
    ...told,
    ...more,
  ].join("\n");
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
