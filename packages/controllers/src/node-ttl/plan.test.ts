import assert from "node:assert/strict";
import { test } from "node:test";
import { annotation, cacheSeconds, plan } from "./plan.ts";

const cases = [
  { name: "a small cluster has 0 seconds", nodes: 3, before: 0, expect: 0 },
  { name: "a cluster that grows beyond the first step has the second", nodes: 101, before: 0, expect: 15 },
  { name: "a cluster that shrinks a little keeps its step", nodes: 95, before: 15, expect: 15 },
  { name: "a cluster that shrinks below its step has the one before", nodes: 89, before: 15, expect: 0 },
  { name: "a cluster that grows by a step has the next", nodes: 501, before: 15, expect: 30 },
  { name: "a cluster that grows by several steps has the last", nodes: 5000, before: 0, expect: 300 },
  { name: "a cluster on a border keeps its step", nodes: 480, before: 30, expect: 30 },
  { name: "a cluster that shrinks by several steps has the lowest that fits", nodes: 95, before: 300, expect: 15 },
];
for (const { name, nodes, before, expect } of cases) test(name, () => assert.equal(cacheSeconds(nodes, before), expect));

const annotated = (value: string) => ({ metadata: { annotations: { [annotation]: value } } });
const plans = [
  { name: "a Node without the annotation gets it", node: {}, expect: { do: "annotate", seconds: 15 } },
  { name: "a Node with another number gets the new one", node: annotated("0"), expect: { do: "annotate", seconds: 15 } },
  { name: "a Node with the number is left alone", node: annotated("15"), expect: { do: "nothing", seconds: 15 } },
  { name: "a Node that is gone still counts for the number", node: undefined, expect: { do: "nothing", seconds: 15 } },
];
for (const { name, node, expect } of plans) test(name, () => assert.deepEqual(plan({ node, nodes: 101, before: 0 }), expect));
