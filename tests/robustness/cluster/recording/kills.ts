/** Many kills in a row under load, after which everything that was acknowledged has to be there. */
import { setTimeout as pause } from "node:timers/promises";
import { type Random, seededRandom } from "../../../fuzz/harness/random.ts";
import { checkHistory } from "../check-history.ts";
import { type History, isWrite, itemsOf, tokensOf, type Violation } from "../history.ts";
import { newest, RecordingClient } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import { createNamespace, targetsOf } from "./connect.ts";
import { Recorder } from "./recorder.ts";
import { RecordingWatcher } from "./watcher.ts";

export interface KillOptions {
  readonly seed: number;
  readonly cluster: Cluster;
  readonly of: "server" | "etcd";
  readonly kills: number;
}

export interface KillResult {
  readonly kills: number;
  /** How many writes were acknowledged. */
  readonly acknowledged: number;
  readonly history: History;
  readonly violations: readonly Violation[];
}

const writerCount = 4;

export async function killAndCount({ seed, cluster, of, kills }: KillOptions): Promise<KillResult> {
  const random = seededRandom(seed);
  await using connections = new AsyncDisposableStack();
  const targets = targetsOf(cluster, connections);
  const namespace = `kills-of-${of}-${seed}`;
  const recorder = new Recorder({ namespace, base: await createNamespace(targets, namespace) });
  const shared = { recorder, random, targets, padding: { bytes: 0 }, pauseMs: 10, isBound: false };
  const over = new AbortController();
  const watcher = new RecordingWatcher({ ...shared, name: "watcher", filter: {} });
  const watched = watcher.run(over.signal);
  /** Patched by all since the last kill. */
  let current = 0;
  const writers = Array.from({ length: writerCount }, async (_, i) => {
    const client = new RecordingClient({ ...shared, name: `writer-${i + 1}`, keys: ["unused"] });
    for (let n = 1; !over.signal.aborted; n++) {
      const target = random.pick(targets);
      if (random.oneIn(2)) await client.create(target, `of-${i + 1}-${n}`);
      else await client.apply(target, `shared-${current}`);
      await pause(random.below(2 * shared.pauseMs));
    }
  });
  for (current = 1; current <= kills; current++) {
    await pause(random.below(300));
    await killOne(cluster, of, random);
  }
  await cluster.recover();
  over.abort("stopped");
  await Promise.all([watched, ...writers]);
  const reader = new RecordingClient({ ...shared, name: "reader", keys: ["unused"] });
  for (const target of targets) await reader.list(target, newest);
  const { history } = recorder;
  const acknowledged = history.operations.filter((one) => isWrite(one) && one.outcome.kind === "ok").length;
  return { kills, acknowledged, history, violations: [...lostWrites(history, targets.length), ...checkHistory(history)] };
}

/** The next one is killed when this one serves again. */
async function killOne({ servers, members }: Cluster, of: "server" | "etcd", random: Random): Promise<void> {
  const { process } = random.pick<{ readonly process: Cluster["servers"][number]["process"] }>(of === "server" ? servers : members);
  await process.kill();
  process.spawn();
  await process.run();
}

/** What has been acknowledged is in each of the last lists: nothing is ever taken away. */
export function lostWrites({ operations }: History, lists: number): readonly Violation[] {
  const last = operations.slice(-lists);
  return operations.filter(isWrite).flatMap((write): readonly Violation[] => {
    if (write.outcome.kind !== "ok") return [];
    const wanted = "token" in write ? write.token : "value" in write ? write.value : "";
    const isMissing = last.some(
      (list) =>
        !itemsOf(list).some(({ key, value }) => key === write.key && tokensOf(wanted).every((token) => tokensOf(value).includes(token))),
    );
    return isMissing ? [{ name: "acknowledged-write-lost", operations: [write, ...last], message: `${write.key} lacks ${wanted}` }] : [];
  });
}
