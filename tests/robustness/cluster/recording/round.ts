/** Several runs at the same time, which live through the same faults. */
import { seededRandom } from "../../../fuzz/harness/random.ts";
import type { Operation } from "../history.ts";
import type { Cluster } from "./cluster.ts";
import { type Fault, type Happened, inflict, planFaults } from "./faults.ts";
import { type RunResult, record } from "./run.ts";

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
  const start = Promise.withResolvers<void>();
  const over = start.promise.then(async () => {
    const happened = await inflict(planned, cluster);
    await cluster.recover();
    return happened;
  });
  const recorded = Array.from({ length: runs }, (_, i) =>
    record({ seed: seed * 1_000 + i, cluster, namespace: `run-${seed}-${i}`, over }),
  );
  start.resolve();
  const [happened, ...results] = await Promise.all([over, ...recorded]);
  return { seed, faults: happened, runs: results };
}

/** What clients asked for while something was wrong. */
export const underFault = ({ history }: RunResult, faults: readonly Happened[]): readonly Operation[] =>
  history.operations.filter(({ call, return: returned }) => faults.some(({ from, to }) => call <= to && returned >= from));
