/**
 * What the store costs: durable and volatile writes from sixteen writers and from one, reads, lists, pages, and handing
 * out events. Prints one JSON line per measurement; the argument is how many writes (20,000 unless given).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@coxswain/machinery";
import { createMemoryStore, openSqliteStore, type Revision, type Store } from "@coxswain/store";

const writes = Number(process.argv[2] ?? 20_000);
const objects = 5_000;
const valueBytes = 1_500;
const note = { user: "admin", manager: "kubectl", userAgent: "kubectl/v1.36.3 (linux/amd64) kubernetes/0000000", requestId: "9c1e4b2a" };
const keyOf = (n: number) => `/registry/configmaps/default/object-${n}`;
/** Bytes of its own for each write, as a server's encoder makes them. */
const newValue = () => new Uint8Array(valueBytes).fill(97);

/** Runs `operations` of them and prints rate and CPU time (of all threads) for each. */
async function measure(store: string, name: string, operations: number, run: () => Promise<void>): Promise<void> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const round = (value: number) => Number(value.toPrecision(4));
  const line = {
    store,
    name,
    operations,
    perSecond: round((operations / ms) * 1_000),
    micros: round((ms / operations) * 1_000),
    cpuMicros: round((user + system) / operations),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function create(store: Store, from: number, count: number, writers: number): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let i = from + writer; i < from + count; i += writers) {
        await store.write({ op: "put", key: keyOf(i), value: newValue(), expect: "absent" }, note);
      }
    }),
  );
}

/** Each writer reads and updates its own objects, as controllers do. */
async function update(store: Store, count: number, writers: number): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let i = writer; i < count; i += writers) {
        const key = keyOf(writer + writers * (i % Math.floor(objects / writers)));
        const { entry } = await store.get(key);
        await store.write({ op: "put", key, value: newValue(), expect: entry?.modified ?? "absent" }, note);
      }
    }),
  );
}

async function repeat(times: number, run: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await run(i);
}

async function runAll(name: string, store: Store): Promise<void> {
  await create(store, 0, objects, 16);
  await measure(name, "create, 16 writers", writes, () => create(store, objects, writes, 16));
  await measure(name, "update, 16 writers", writes, () => update(store, writes, 16));
  await measure(name, "update, 1 writer", writes / 20, () => update(store, writes / 20, 1));
  await measure(name, "delete, 16 writers", writes, () => removeRange(store, objects, writes));
  const past = Math.max(store.compacted, store.revision - 1_000) as Revision;
  await measure(name, "get", 200_000, () => repeat(200_000, (i) => store.get(keyOf(i % objects))));
  await measure(name, "get at a past revision", 200_000, () => repeat(200_000, (i) => store.get(keyOf(i % objects), { at: past })));
  await measure(name, `list ${objects}`, 500, () => repeat(500, () => store.list("/registry/configmaps/")));
  await measure(name, "page of 500", 5_000, () =>
    repeat(5_000, () => store.list("/registry/configmaps/", { limit: 500, after: keyOf(2_000) })),
  );
  let events = 0;
  const count = (batch: { events: readonly unknown[] }) => {
    events += batch.events.length;
  };
  for (let i = 0; i < 1_000; i++) store.subscribe("/registry/configmaps/", { after: store.revision }, count);
  for (let i = 0; i < 1_000; i++) store.subscribe(`/registry/pods/namespace-${i}/`, { after: store.revision }, count);
  await measure(name, "event to one of 1,000 subscribers, of 2,000", 1_000_000, () => update(store, 1_000, 16));
  if (events !== 1_000_000) throw new Error(`${events} events`);
}

async function removeRange(store: Store, from: number, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      for (let i = from + writer; i < from + count; i += 16) {
        const { entry } = await store.get(keyOf(i));
        if (entry !== undefined) await store.write({ op: "delete", key: keyOf(i), expect: entry.modified }, note);
      }
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
try {
  {
    await using memory = createMemoryStore({ clock: systemClock });
    await runAll("memory", memory);
  }
  const path = join(folder, "store.db");
  {
    await using sqlite = await openSqliteStore({ clock: systemClock, path });
    await runAll("sqlite", sqlite);
    await sqlite.compact((sqlite.revision - 1_000) as Revision);
  }
  await measure("sqlite", `open ${objects} objects and 1,000 revisions`, 1, async () => {
    await using _ = await openSqliteStore({ clock: systemClock, path });
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
