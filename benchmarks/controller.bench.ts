/**
 * What a controller costs: the queue alone, and 10,000 objects reconciled by a no-op from a warm cache, with their memory.
 * Prints one JSON line per measurement; the argument is how many objects (10,000 unless given).
 */
import { configMaps, controller, controllerManager, createWorkQueue, done } from "@coxswain/client";
import { systemClock } from "@coxswain/machinery";
import { startCluster } from "coxswain/testing";

const objects = Number(process.argv[2] ?? 10_000);
const round = (value: number): number => Number(value.toPrecision(3));
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

await queueAlone();
await noOps(1);
await noOps(10);

/** Each key is added, claimed and released: how many a second, the best of five. */
async function queueAlone(): Promise<void> {
  const keys = Array.from({ length: 100_000 }, (_, i) => `default/object-${i}`);
  let best = 0;
  for (let n = 0; n < 5; n++) {
    const queue = createWorkQueue<string>({ clock: systemClock });
    const startedAt = performance.now();
    for (const key of keys) queue.add(key);
    const drained = queue.close();
    for await (using claim of queue.claims(new AbortController().signal)) void claim.key;
    await drained;
    best = Math.max(best, keys.length / ((performance.now() - startedAt) / 1000));
  }
  print({ name: "queue alone", keys: keys.length, perSecond: round(best) });
}

/** All at once, and then as their changes come, in one process with the server. */
async function noOps(concurrency: number): Promise<void> {
  await using cluster = await startCluster();
  const { client } = cluster;
  const data = { payload: "x".repeat(1024) };
  for (let i = 0; i < objects; i++)
    await client.resource(configMaps).create({ metadata: { name: `object-${i}`, namespace: "default" }, data });
  let reconciled = 0;
  let reached = Promise.withResolvers<void>();
  let goal = objects;
  let first = 0;
  const noOp = controller({
    name: "no-op",
    for: configMaps,
    namespace: "default",
    concurrency,
    reconcile: async (_, { object }) => {
      if (object === undefined) throw new Error("not in the cache");
      first ||= performance.now();
      if (++reconciled === goal) reached.resolve();
      return done;
    },
  });
  const stop = new AbortController();
  const manager = controllerManager([noOp], { client });
  const startedAt = performance.now();
  const run = manager.run(stop.signal);
  await manager.ready;
  const readyMs = performance.now() - startedAt;
  await reached.promise;
  const initial = objects / ((performance.now() - first) / 1000);
  // kube-root-ca.crt may be there too, so that the goal is counted from here.
  await new Promise((resolve) => setTimeout(resolve, 100));
  reached = Promise.withResolvers();
  goal = reconciled + objects;
  const changedAt = performance.now();
  const patch = { type: "merge", patch: { metadata: { labels: { changed: "yes" } } } } as const;
  const names = Array.from({ length: objects }, (_, i) => `object-${i}`);
  const write = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await client.resource(configMaps).patch({ namespace: "default", name }, patch);
  };
  await Promise.all(Array.from({ length: 16 }, write));
  await reached.promise;
  const changes = objects / ((performance.now() - changedAt) / 1000);
  stop.abort();
  await run;
  print({
    name: "no-op reconciles",
    objects,
    concurrency,
    readyMs: round(readyMs),
    perSecond: round(initial),
    writtenAndReconciledPerSecond: round(changes),
  });
}
