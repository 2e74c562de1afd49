import assert from "node:assert/strict";
import { test } from "node:test";
import { automaticThreads, planThreads } from "./plan-threads.ts";

const all = ["controllers", "scheduler", "nodes"] as const;
const plans = [
  { name: "one thread has all", threads: 1, components: all, expect: [] },
  { name: "the server's and one for the components", threads: 2, components: all, expect: [["controllers", "scheduler", "nodes"]] },
  { name: "nodes are the first to be on their own", threads: 3, components: all, expect: [["controllers", "scheduler"], ["nodes"]] },
  { name: "one for each", threads: 4, components: all, expect: [["controllers"], ["scheduler"], ["nodes"]] },
  { name: "no more than there are components", threads: 99, components: all, expect: [["controllers"], ["scheduler"], ["nodes"]] },
  { name: "a component that does not run has none", threads: 2, components: ["scheduler"], expect: [["scheduler"]] },
  { name: "an API server alone needs no other", threads: 4, components: [], expect: [] },
] as const;
for (const { name, threads, components, expect } of plans)
  test(`threads: ${name}`, () => assert.deepEqual(planThreads(threads, components), expect));

const automatic = [
  { processors: 1, expect: 1 },
  { processors: 2, expect: 2 },
  { processors: 3, expect: 2 },
  { processors: 4, expect: 3 },
  { processors: 64, expect: 3 },
];
for (const { processors, expect } of automatic)
  test(`threads: ${expect} where there are ${processors} processors`, () => assert.equal(automaticThreads(processors), expect));
