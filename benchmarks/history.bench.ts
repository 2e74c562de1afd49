/**
 * What is kept of the past: a million versions of 10,000 Deployments, as writes make them, with their size on disk, the memory of the process
 * with and without a history, and how long it takes to read one version, an object's versions and a list. Prints one JSON line per
 * measurement; the arguments are how many versions and how many objects.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type History, isRecordable, openHistory } from "@coxswain/history";
import { systemClock } from "@coxswain/machinery";
import { createMemoryStore, type Entry, type Revision, type Store } from "@coxswain/store";

const versions = Number(process.argv[2] ?? 1_000_000);
const objects = Number(process.argv[3] ?? 10_000);
/** Versions that are asked for. */
const lookups = 500;

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const keyOf = (n: number): string => `/registry/apps/deployments/team-${n % 50}/web-${n}`;

/** A number from 0 to below `limit`, the same in each run. */
let state = 1;
function draw(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

const encoder = new TextEncoder();

/** What a controller changes with most writes, and a user now and then. */
function deployment(n: number, write: number): Uint8Array {
  const time = new Date(1_700_000_000_000 + write * 50).toISOString();
  const ready = write % 4;
  return encoder.encode(
    JSON.stringify({
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: {
        ...{ name: `web-${n}`, namespace: `team-${n % 50}`, uid: `${n}-9b1d-4f6e-8f57-0f6c2e5d1b7a`, generation: write >> 3 },
        ...{ creationTimestamp: "2026-01-01T00:00:00Z", labels: { app: `web-${n}`, team: `team-${n % 50}` } },
      },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: `web-${n}` } },
        template: {
          metadata: { labels: { app: `web-${n}` } },
          spec: { containers: [{ name: "web", image: `registry.example/web:${write >> 3}`, resources: { requests: { cpu: "100m" } } }] },
        },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      },
      status: {
        ...{ observedGeneration: write >> 3, replicas: 3, readyReplicas: ready, availableReplicas: ready },
        conditions: [
          { type: "Available", status: ready > 1 ? "True" : "False", lastUpdateTime: time, reason: "MinimumReplicasAvailable" },
          { type: "Progressing", status: "True", lastUpdateTime: time, reason: "NewReplicaSetAvailable" },
        ],
      },
    }),
  );
}

/** Each object in turn in no order; sixteen at a time are on their way. Returns revisions with their keys, of which some are asked for. */
async function writeAll(store: Store, pause: () => Promise<void>): Promise<readonly (readonly [key: string, at: Revision])[]> {
  const seen: (readonly [string, Revision])[] = [];
  const entries = new Map<number, Entry>();
  for (let write = 0; write < versions; write++) {
    const n = write < objects ? write : draw(objects);
    const note = { user: `user-${n % 20}`, manager: "kube-controller-manager", requestId: `${write}-4b2a-9c1e`, verb: "update/status" };
    const before = entries.get(n);
    const written = await store.write(
      { op: "put", key: keyOf(n), value: deployment(n, write), expect: before?.modified ?? "absent" },
      note,
    );
    if (!written.ok || written.entry === undefined) throw new Error("a write was refused");
    entries.set(n, written.entry);
    if (draw(versions) < 4 * lookups) seen.push([keyOf(n), written.revision]);
    if (write % 2_000 === 0) await pause();
  }
  return seen;
}

function memory(): { readonly rssMiB: number; readonly heapMiB: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rssMiB: Math.round(rss / 2 ** 20), heapMiB: Math.round(heapUsed / 2 ** 20) };
}

async function timed(name: string, times: number, run: (i: number) => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await run(i);
    took.push(performance.now() - start);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => Number((took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0).toFixed(2));
  print({ name, times, medianMs: at(0.5), p99Ms: at(0.99), maxMs: at(1) });
}

async function readAll(history: History, seen: readonly (readonly [string, Revision])[]): Promise<void> {
  const some = seen.filter((_, i) => i % Math.ceil(seen.length / lookups) === 0);
  const of = (i: number) => some[i % some.length] ?? (["", 1 as Revision] as const);
  await timed("one version", some.length, (i) => history.get(...of(i)));
  await timed("an object's last 100 versions, with values", 100, (i) => history.valuesOf(of(i)[0], { limit: 100 }));
  await timed("200 objects of a past state", 20, (i) => history.list("/registry/apps/deployments/team-7/", of(i)[1], { limit: 200 }));
  await timed("the revision of a time", 100, async (i) => history.revisionAt((await history.timeOf(of(i)[1])) ?? 0));
}

const folder = mkdtempSync(join(tmpdir(), "coxswain-history-"));
const window = { clock: systemClock, historyMs: 0, historyRevisions: 10_000 };
try {
  {
    await using store = createMemoryStore(window);
    await writeAll(store, () => Promise.resolve());
    print({ name: "without a history", versions, objects, ...memory() });
  }
  await using store = createMemoryStore(window);
  if (!isRecordable(store)) throw new Error("the store cannot be recorded");
  const path = join(folder, "history.db");
  const cpu = process.cpuUsage();
  const history = await openHistory({
    path,
    store,
    clock: systemClock,
    log: { warn: (fields, message) => print({ warning: message, ...fields }) },
  });
  try {
    const start = performance.now();
    const seen = await writeAll(store, async () => void (await history.status()));
    const ms = performance.now() - start;
    const { bytes, gaps } = await history.status();
    const { user, system } = process.cpuUsage(cpu);
    const size = statSync(path).size;
    print({ name: "with a history", versions, objects, ...memory(), gaps: gaps.length });
    print({ name: "file", MiB: Math.round(size / 2 ** 20), bytesPerVersion: Math.round(bytes / versions) });
    print({
      name: "writes with recording",
      perSecond: Math.round((versions / ms) * 1000),
      cpuMicros: Math.round((user + system) / versions),
    });
    await readAll(history, seen);
  } finally {
    await history[Symbol.asyncDispose]();
  }
} finally {
  rmSync(folder, { recursive: true });
}
