/** Many faults in one run, by chance: for what one alone does not bring about. */
import { seededRandom } from "../chance-and-time/random.ts";
import type { FaultRule } from "../faults/fault.ts";
import { FaultScript, isWatchFault } from "../faults/fault-script.ts";
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

/** How many runs `randomFaults` has, and how likely a fault is. */
export interface RandomFaultsOptions extends ScenarioOptions {
  /** One run each: so many from 1 on, or these. Default: 20. */
  readonly seeds?: number | readonly number[];
  /** How likely a fault is at each step. Default: 0.1. */
  readonly chance?: number;
}

/** Faults end after so many times the steps of a run without any: then all must come right. */
const troubledShare = 3;

/**
 * Every run begins with the same state and time; the seed says which faults come when, and what else is left to chance.
 * @throws AggregateError with every run that failed, and how to have it again
 */
export async function randomFaults(options: RandomFaultsOptions): Promise<{ readonly runs: number; readonly fired: number }> {
  validateOptions("randomFaults", options, { ...scenarioOptions, seeds: true, chance: true });
  const { seeds = 20, chance = 0.1 } = options;
  const from = options.from ?? (await emptySnapshot());
  const { steps } = await calmRun({ from, seed: 1 }, options);
  const wanted = typeof seeds === "number" ? Array.from({ length: seeds }, (_, i) => i + 1) : seeds;
  const failures: Error[] = [];
  let fired = 0;
  let failedSeed: number | undefined;
  for (const seed of wanted) {
    const name = `seed ${seed}`;
    options.onRun?.(name);
    const script = new FaultScript(rulesOf(seed, steps.length * troubledShare, chance, options), { seed });
    try {
      await runScenario({ name, seed, from, script }, options);
    } catch (cause) {
      failedSeed ??= seed;
      const happened = script.fired.map(({ fault }) => fault.kind).join(", ");
      failures.push(new Error(`${name} (${happened}): ${failureMessageOf(cause)}`, { cause }));
    }
    fired += script.fired.length;
  }
  throwFailures(failures, wanted.length, `one of them again: { seeds: [${failedSeed}] }`);
  return { runs: wanted.length, fired };
}

/** What a step will be is not known beforehand: for each there is a fault of requests and one of watches, as far as there are any. */
function rulesOf(seed: number, steps: number, chance: number, { faults = everyFault }: RandomFaultsOptions): FaultRule[] {
  const random = seededRandom(seed).named("faults");
  const all = Object.values(faults);
  const kinds = [all.filter((fault) => !isWatchFault(fault)), all.filter(isWatchFault)];
  const rules: FaultRule[] = [];
  for (let step = 1; step <= steps; step++) {
    if (random.next() >= chance) continue;
    for (const some of kinds) {
      const fault = some[Math.floor(random.next() * some.length)];
      if (fault !== undefined) rules.push({ fault, step });
    }
  }
  return rules;
}
