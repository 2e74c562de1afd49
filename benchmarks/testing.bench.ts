/**
 * What a test pays for a cluster of its own: the first one in a process of its own, with the import and from a cold and a
 * warm compile cache; then many in one process, forks with a long history, and a virtual day. Medians, one JSON line each;
 * the argument is how many processes (11 unless given).
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { defineResource } from "@coxswain/client";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const processes = Number(process.argv[2] ?? 11);
const configMaps = defineResource({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true });

await firstCluster("first cluster of a process", {});
await firstCluster("the same without a compile cache", { NODE_DISABLE_COMPILE_CACHE: "1" });
await manyClusters();
await forks();
await virtualDay();

async function firstCluster(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const program = `
    const began = performance.now();
    const { startCluster } = await import("coxswain/testing");
    const imported = performance.now();
    const cluster = await startCluster();
    const started = performance.now();
    await cluster.transport.send({ method: "GET", path: "/api/v1/namespaces/default", headers: {} });
    const answered = performance.now();
    await cluster[Symbol.asyncDispose]();
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify([imported - began, started - imported, answered - started, answered - began, (user + system) / 1000]));`;
  const once = (): number[] => JSON.parse(runProgram(program, env));
  once(); // fills the cache
  const runs = Array.from({ length: processes }, once);
  const [importMs, startMs, firstAnswerMs, allMs, processCpuMs] = [0, 1, 2, 3, 4].map((part) => median(runs.map((run) => run[part] ?? 0)));
  print(name, { importMs, startMs, firstAnswerMs, allMs, processCpuMs });
}

function runProgram(program: string, env: NodeJS.ProcessEnv): string {
  const cwd = join(import.meta.dirname, "..");
  return execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd, env: { ...process.env, ...env }, encoding: "utf8" });
}

async function manyClusters(): Promise<void> {
  const startMs: number[] = [];
  const endMs: number[] = [];
  for (let i = 0; i < 200; i++) {
    const began = performance.now();
    const cluster = await startCluster();
    startMs.push(performance.now() - began);
    endMs.push(await timed(() => cluster[Symbol.asyncDispose]()));
  }
  print("one after another", { startMs: median(startMs), endMs: median(endMs) });
  await using stack = new AsyncDisposableStack();
  const before = process.memoryUsage().heapUsed;
  const allMs = await timed(() => Promise.all(Array.from({ length: 50 }, async () => stack.use(await startCluster()))));
  print("fifty at once", { allMs, megabytesEach: (process.memoryUsage().heapUsed - before) / 50 / 2 ** 20 });
}

async function forks(): Promise<void> {
  await using cluster = await startCluster();
  const objects = 10_000;
  await write(cluster, objects);
  const snapshotMs: number[] = [];
  const forkMs: number[] = [];
  for (let i = 0; i < 50; i++) {
    snapshotMs.push(await timed(async () => cluster.snapshot()));
    const began = performance.now();
    await using _ = await cluster.fork();
    forkMs.push(performance.now() - began);
  }
  print("fork", { objects, snapshotMs: median(snapshotMs), forkMs: median(forkMs) });
}

async function write(cluster: TestCluster, objects: number): Promise<void> {
  const client = cluster.client.resource(configMaps);
  const began = performance.now();
  for (let i = 0; i < objects; i++) await client.create({ metadata: { name: `map-${i}` } });
  print("creations through the client, one after another", { objects, perSecond: objects / ((performance.now() - began) / 1000) });
}

async function virtualDay(): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock() });
  const watch = cluster.client.resource(configMaps).watch()[Symbol.asyncIterator]();
  await watch.next();
  watch.next().catch(() => undefined);
  print("a virtual day with a watch", { ms: await timed(() => cluster.advance({ days: 1 })) });
}

async function timed(work: () => PromiseLike<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function print(name: string, figures: Readonly<Record<string, number | undefined>>): void {
  const rounded = Object.entries(figures).map(([key, value = Number.NaN]) => [key, Math.round(value * 100) / 100]);
  console.log(JSON.stringify({ name, ...Object.fromEntries(rounded) }));
}
