import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Pod } from "../pod/pod.ts";
import { createEviction } from "./eviction.ts";
import { type Level, parseThresholds, type Signal } from "./thresholds.ts";
import type { PodUsage } from "./victims.ts";

const Mi = 1024 ** 2;

const refused = [
  { text: "memory.available", says: /invalid eviction threshold syntax/ },
  { text: "cpu.available<1", says: /unsupported eviction signal cpu.available/ },
  { text: "memory.available<1Mi,memory.available<2Mi", says: /duplicate eviction threshold/ },
  { text: "nodefs.available<120%", says: /must be >= 0% and <= 100%/ },
  { text: "memory.available<much", says: /must be a quantity/ },
];
for (const { text, says } of refused) test(`thresholds: ${text} is refused`, () => assert.throws(() => parseThresholds(text), says));

test("thresholds are amounts or shares", () =>
  assert.deepEqual(parseThresholds("memory.available<100Mi,nodefs.available<10%"), [
    { signal: "memory.available", least: { amount: 100 * Mi } },
    { signal: "nodefs.available", least: { share: 0.1 } },
  ]));

interface Pods {
  readonly name: string;
  readonly uses: number;
  readonly asksFor?: string;
  readonly priority?: number;
  readonly emptyDirs?: Readonly<Record<string, { readonly limit: string; readonly uses: number }>>;
}

const usageOf = ({ name, uses, asksFor, priority, emptyDirs = {} }: Pods): PodUsage => ({
  pod: {
    metadata: { name, uid: name },
    spec: {
      ...(priority === undefined ? {} : { priority }),
      containers: [{ name: "c", ...(asksFor === undefined ? {} : { resources: { requests: { memory: asksFor } } }) }],
      volumes: Object.entries(emptyDirs).map(([volume, { limit }]) => ({ name: volume, emptyDir: { sizeLimit: limit } })),
    },
  },
  containers: [{ name: "c", memory: uses, storage: 0 }],
  volumes: new Map(Object.entries(emptyDirs).map(([volume, used]) => [volume, used.uses])),
});

async function evictionOf(
  available: (evicted: number) => Partial<Record<Signal, Level>>,
  pods: readonly Pods[],
  thresholds = "memory.available<100Mi",
) {
  const clock = new ManualClock(0);
  const evicted: { readonly name: string; readonly message: string }[] = [];
  let reclaimed = 0;
  const eviction = createEviction({
    clock,
    thresholds: parseThresholds(thresholds),
    levels: async () => new Map(Object.entries(available(evicted.length)) as [Signal, Level][]),
    usages: async () => pods.map(usageOf).filter(({ pod }) => !evicted.some(({ name }) => name === pod.metadata?.name)),
    evict: async (pod: Pod, { message }) => void evicted.push({ name: pod.metadata?.name ?? "", message }),
    reclaim: async () => void reclaimed++,
    events: { record: () => undefined },
    node: () => undefined,
    changed: () => undefined,
    log: { warn: (fields) => assert.fail(JSON.stringify(fields)) },
  });
  const stop = new AbortController();
  const running = eviction.run(stop.signal);
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      clock.advance(10_000);
      await quiescence({ clock, observe: () => [evicted.length, reclaimed] });
    }
  };
  const end = async () => {
    stop.abort();
    await running;
  };
  return { pass, end, eviction, evicted, reclaimed: () => reclaimed };
}

const memory = (available: number) => ({ "memory.available": { available: available * Mi, capacity: 1000 * Mi } });

test("evicts one Pod at a time until the threshold is no longer met, and reports pressure for five minutes more", async () => {
  const pods = [
    { name: "modest", uses: 10 * Mi, asksFor: "20Mi" },
    { name: "important", uses: 900 * Mi, priority: 1000 },
    { name: "large", uses: 300 * Mi, asksFor: "10Mi" },
    { name: "hungry", uses: 200 * Mi },
    { name: "system", uses: 999 * Mi, priority: 2_000_000_000 },
  ];
  const { pass, end, eviction, evicted } = await evictionOf((count) => memory(count < 3 ? 50 : 500), pods);
  await pass(10_000);
  assert.deepEqual(evicted, [
    {
      name: "large",
      message:
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container c was using 300Mi, request is 10Mi, has larger consumption of memory. ",
    },
  ]);
  await pass(60_000);
  assert.deepEqual(
    evicted.map(({ name }) => name),
    ["large", "hungry", "important"],
  );
  assert.deepEqual([...eviction.pressures()], ["MemoryPressure"]);
  await pass(300_000);
  assert.deepEqual([...eviction.pressures()], []);
  await end();
});

test("a full disk is cleaned up before a Pod is evicted", async () => {
  let samples = 0;
  const disk = () => ({ "nodefs.available": { available: samples++ < 1 ? 5 : 50, capacity: 100 } });
  const { pass, end, eviction, evicted, reclaimed } = await evictionOf(disk, [{ name: "one", uses: 1 }], "nodefs.available<10%");
  await pass(10_000);
  assert.equal(reclaimed(), 1);
  assert.deepEqual(evicted, []);
  assert.deepEqual([...eviction.pressures()], ["DiskPressure"]);
  await end();
});

test("who fills a volume beyond its limit goes, however much room there is", async () => {
  const pods = [{ name: "full", uses: 1, emptyDirs: { cache: { limit: "1Mi", uses: 2 * Mi } } }];
  const { pass, end, evicted } = await evictionOf(() => memory(900), pods);
  await pass(10_000);
  assert.deepEqual(evicted, [{ name: "full", message: 'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ' }]);
  await end();
});
