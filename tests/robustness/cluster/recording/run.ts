/** One run: clients and watchers in a namespace of their own, while something happens to the cluster; and the check of what they saw. */
import { setTimeout as pause } from "node:timers/promises";
import { type Random, seededRandom } from "../../../fuzz/harness/random.ts";
import { checkHistory } from "../check-history.ts";
import type { Filter, History, Violation } from "../history.ts";
import { newest, RecordingClient } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import { createNamespace, targetsOf } from "./connect.ts";
import { Recorder, type Target } from "./recorder.ts";
import { selectedToken } from "./requests.ts";
import { RecordingWatcher } from "./watcher.ts";

export interface RunOptions {
  readonly seed: number;
  readonly cluster: Cluster;
  /** A name that no other run has. */
  readonly namespace: string;
}

export interface RunResult {
  readonly seed: number;
  readonly namespace: string;
  readonly history: History;
  readonly violations: readonly Violation[];
}

/** By then whoever watches has what was written when all was well again. */
const catchUpMs = 30_000;
const clientCount = 4;
/** So many operations are wanted of each run, and this long is waited for them when everything serves. */
const minOperations = 200;
const enoughMs = 5_000;

/**
 * The namespace is there once it resolves; what it returns is the run, until nothing more happens to the cluster and all serve, which `over`
 * resolves for.
 */
export async function prepare({ seed, cluster, namespace }: RunOptions): Promise<(over: Promise<unknown>) => Promise<RunResult>> {
  await using connections = new AsyncDisposableStack();
  const targets = targetsOf(cluster, connections);
  const recorder = new Recorder({ namespace, base: await createNamespace(targets, namespace) });
  const owned = connections.move();
  return async (over) => {
    await using _ = owned;
    return await record({ seed, recorder, targets, over });
  };
}

interface Prepared {
  readonly seed: number;
  readonly recorder: Recorder;
  readonly targets: readonly Target[];
  readonly over: Promise<unknown>;
}

async function record({ seed, recorder, targets, over }: Prepared): Promise<RunResult> {
  const random = seededRandom(seed);
  const shared = { recorder, random, targets };
  const large = { bytes: random.oneIn(10) ? 20_000 : 0 };
  const keys = Array.from({ length: 2 + random.below(4) }, (_, i) => `key-${i + 1}`);
  const [writing, watching] = [new AbortController(), new AbortController()];
  const watchers = filtersFor(targets).map(
    ([filter, own], i) =>
      new RecordingWatcher({ ...shared, name: `watcher-${i + 1}`, filter, targets: own, ...slow(random, writing.signal) }),
  );
  const clients = Array.from(
    { length: clientCount },
    (_, i) => new RecordingClient({ ...shared, name: `client-${i + 1}`, keys, padding: large, pauseMs: 15, isBound: random.oneIn(2) }),
  );
  const watched = watchers.map((watcher) => watcher.run(watching.signal));
  const written = clients.map((client) => client.run(writing.signal));
  await over.then(() => enough(recorder)).finally(() => writing.abort());
  await Promise.all(written);
  const late = await close(shared, watchers);
  // Only who has not seen the last write has to answer for what is missing: what of the unknown takes effect still later need not come.
  watching.abort(late.length === 0 ? "stopped" : "finished");
  await Promise.all(watched);
  const { history } = recorder;
  return { seed, namespace: recorder.namespace, history, violations: [...late, ...checkHistory(history)] };
}

async function enough(recorder: Recorder): Promise<void> {
  for (const end = recorder.now() + enoughMs; recorder.operationCount < minOperations && recorder.now() < end; ) await pause(50);
}

/** A last write that every watch selects, and a last list from every server. */
async function close(
  shared: { recorder: Recorder; random: Random; targets: readonly Target[] },
  watchers: readonly RecordingWatcher[],
): Promise<readonly Violation[]> {
  const { recorder, targets } = shared;
  const closer = new RecordingClient({ ...shared, name: "closer", keys: ["key-1"], padding: { bytes: 0 }, pauseMs: 1, isBound: true });
  let last = recorder.nextToken();
  for (let tries = 0; !(await closer.put(targets[tries % targets.length] as Target, "key-1", `${selectedToken} ${last}`)); tries++) {
    if (tries === 10) return [{ name: "no-write-after-recovery", operations: [], message: "nothing can be written though all serve" }];
    last = recorder.nextToken();
  }
  const late = await Promise.all(
    watchers.map(async (watcher): Promise<readonly Violation[]> => {
      const timer = new AbortController();
      const seen = await Promise.race([
        watcher.seen(last).then(() => true),
        pause(catchUpMs, false, { signal: timer.signal }).catch(() => false),
      ]);
      timer.abort();
      return seen ? [] : [{ name: "watch-never-caught-up", operations: [], message: `${watcher.name} has not seen ${last}` }];
    }),
  );
  for (const target of targets) await closer.list(target, newest);
  return late.flat();
}

/** From each server everything; from any what a key has, and what has a label. */
const filtersFor = (targets: readonly Target[]): readonly [Filter, readonly Target[]][] => [
  ...targets.map((target): [Filter, readonly Target[]] => [{}, [target]]),
  [{}, targets],
  [{ key: "key-1" }, targets],
  [{ token: selectedToken }, targets],
];

/** One in four reads nothing for a while, again and again, until what is written is to be seen. */
const slow = (random: Random, writing: AbortSignal) =>
  random.oneIn(4) ? { beforeRead: async () => (random.oneIn(10) && !writing.aborted ? await pause(random.below(1_500)) : undefined) } : {};
