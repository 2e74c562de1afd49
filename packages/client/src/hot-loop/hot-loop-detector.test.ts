import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeObject, ManualClock } from "@coxswain/machinery";
import { type HotLoop, hotLoopDetector } from "./hot-loop-detector.ts";

interface Thing extends KubeObject {
  readonly spec?: object;
  readonly status?: object;
}

interface Write extends Pick<Thing, "spec" | "status"> {
  readonly by: string;
}

const fieldsOf = (value: unknown): { [name: string]: object } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, below]) => [`f:${name}`, fieldsOf(below)]))
    : {};

/** The writer owns all that it wrote. */
function thing({ by, ...content }: Write, version: number): Thing {
  const managedFields = [{ manager: by, operation: "Update" as const, fieldsType: "FieldsV1" as const, fieldsV1: fieldsOf(content) }];
  return { metadata: { name: "a", uid: "u", resourceVersion: String(version), managedFields }, ...content };
}

function loopsIn(writes: readonly Write[], everyMs: number): HotLoop[] {
  const clock = new ManualClock(0);
  const loops: HotLoop[] = [];
  const see = hotLoopDetector({ clock, onHotLoop: (loop) => loops.push(loop) });
  for (const [i, write] of writes.slice(1).entries()) {
    clock.advance(everyMs);
    see({ type: "updated", previous: thing(writes[i] ?? write, i), object: thing(write, i + 1), resync: false });
  }
  return loops;
}

const times = (count: number, write: (i: number) => Write): Write[] => Array.from({ length: count }, (_, i) => write(i));

const fight = (i: number): Write => ({ by: i % 2 === 0 ? "argocd" : "hpa", spec: { replicas: i % 2 } });
const loops = [
  { name: "two who undo each other's work", writes: times(30, fight), says: { writers: ["argocd", "hpa"], field: ".spec.replicas" } },
  {
    name: "two who undo each other's condition",
    writes: times(30, (i) => ({
      by: `writer-${i % 2}`,
      status: { n: 1, conditions: [{ type: "Ready", status: i % 2 === 0 ? "True" : "False" }] },
    })),
    says: { writers: ["writer-0", "writer-1"], field: ".status.conditions[type=Ready].status" },
  },
  {
    name: "one who only writes what time it is",
    writes: times(30, (i) => ({ by: "stamp", status: { seen: `2026-01-01T00:00:${String(i).padStart(2, "0")}Z` } })),
    says: { writers: ["stamp"], field: undefined },
  },
  {
    name: "one who changes its mind",
    writes: times(30, (i) => ({ by: "one", spec: { a: i % 3 } })),
    says: { writers: ["one"], field: ".spec.a" },
  },
];
for (const { name, writes, says } of loops)
  test(`a hot loop: ${name}`, () => {
    const [loop, ...more] = loopsIn(writes, 100);
    assert.deepEqual({ writers: loop?.writers, field: loop?.field }, says);
    assert.equal(loop?.writes, 10);
    assert.deepEqual(more, [], "it is reported once");
  });

const progress = [
  { name: "a rollout that goes on", writes: times(200, (i) => ({ by: "deployment", status: { updated: i, ready: i % 2 } })), everyMs: 10 },
  { name: "a status that goes back and forth", writes: times(200, (i) => ({ by: "deployment", status: { ready: i % 2 } })), everyMs: 10 },
  {
    name: "a status that only keeps up with the generation",
    writes: times(200, (i) => ({ by: "replicaset", status: { observedGeneration: i } })),
    everyMs: 10,
  },
  { name: "a fight that leaves time to sleep", writes: times(60, fight), everyMs: 2_000 },
  { name: "many who each add something", writes: times(50, (i) => ({ by: `w${i % 3}`, spec: { [`f${i}`]: 1 } })), everyMs: 10 },
];
for (const { name, writes, everyMs } of progress) test(`no hot loop: ${name}`, () => assert.deepEqual(loopsIn(writes, everyMs), []));
