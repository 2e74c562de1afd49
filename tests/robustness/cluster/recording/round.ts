/** Several runs at the same time, which live through the same faults. */
import { seededRandom } from "../../../fuzz/harness/random.ts";
import type { Operation } from "../history.ts";
import type { Cluster } from "./cluster.ts";
import { type Fault, planFaults } from "./fault-plan.ts";
import { type Happened, inflict } from "./faults.ts";
import { prepare, type RunResult } from "./run.ts";

export interface RoundOptions {
  readonly seed: number;
  readonly cluster: Cluster;
  readonly runs: number;
  /** Instead of those of the seed. */
  readonly faults?: readonly Fault[];
}

export interface RoundResult {
  readonly seed: number;
  readonly faults: readonly Happened[];
  readonly runs: readonly RunResult[];
}

export async function runRound({ seed, cluster, runs, faults }: RoundOptions): Promise<RoundResult> {
  const random = seededRandom(seed);
  const planned = faults ?? planFaults(random, cluster);
  const prepared = await Promise.all(
    Array.from({ length: runs }, (_, i) => prepare({ seed: seed * 1_000 + i, cluster, namespace: `run-${seed}-${i}` })),
  );
  const over = inflict(planned, cluster).then(async (happened) => {
    await cluster.recover();
    return happened;
  });
  const [happened, ...results] = await Promise.all([over, ...prepared.map((run) => run(over))]);
  return { seed, faults: happened, runs: results };
}

/** What clients asked for while something was wrong. */
export const underFault = ({ history }: RunResult, faults: readonly Happened[]): readonly Operation[] =>
  history.operations.filter(({ call, return: returned }) => faults.some(({ from, to }) => call <= to && returned >= from));
