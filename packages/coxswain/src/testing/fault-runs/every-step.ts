/** Tries out each fault at each step of what a client does: the systematic way to find the one that hurts. */
import { seededRandom } from "../chance-and-time/random.ts";
import { describeRequest } from "../faults/describe-request.ts";
import { canHit, type Fault } from "../faults/fault.ts";
import { FaultScript, isWatchFault, type Step } from "../faults/fault-script.ts";
import { validateOptions } from "../validation/options.ts";
import {
  calmRun,
  emptySnapshot,
  everyFault,
  failureMessageOf,
  runScenario,
  type ScenarioOptions,
  scenarioOptions,
  throwFailures,
} from "./scenario.ts";

/** Which of the runs of `everyFaultAtEveryStep` are had, and on which scenario. */
export interface EveryStepOptions extends ScenarioOptions {
  /** Of every run. Default: 1. */
  readonly seed?: number;
  /** One run alone, as a report names it: `lose-answer@7`. */
  readonly only?: string;
  /** How many of all these runs to have, chosen by the seed: 0.25 is a quarter. Default: 1. */
  readonly share?: number;
}

/** How many runs there were, and the steps of the run without faults. */
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
  validateOptions("everyFaultAtEveryStep", options, { ...scenarioOptions, seed: true, only: true, share: true });
  const { faults = everyFault, only, share = 1, seed = 1 } = options;
  const from = options.from ?? (await emptySnapshot());
  const { steps } = await calmRun({ from, seed }, options);
  const failures: Error[] = [];
  const chance = seededRandom(seed);
  let runs = 0;
  for (const [i, step] of steps.entries()) {
    for (const [kind, fault] of Object.entries(faults)) {
      const name = `${kind}@${i + 1}`;
      if (!canHitStep(fault, step) || (only !== undefined && only !== name)) continue;
      if (only === undefined && chance.next() >= share) continue;
      runs++;
      options.onRun?.(name);
      const script = new FaultScript([{ fault, step: i + 1 }], { seed });
      try {
        await runScenario({ name, seed, from, script }, options);
        if (script.fired.length === 0 && fault.kind !== "stale") throw new Error("it did not come to this step");
      } catch (cause) {
        failures.push(new Error(`${name} (${describeStep(step)}): ${failureMessageOf(cause)}`, { cause }));
      }
    }
  }
  if (only !== undefined && runs === 0) throw new RangeError(`no run is called ${only}`);
  const first = failures[0]?.message.split(" ", 1)[0];
  throwFailures(failures, runs, `one of them again: { only: "${first}", seed: ${seed} }`);
  return { steps, runs };
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
