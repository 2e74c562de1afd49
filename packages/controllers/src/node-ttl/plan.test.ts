import assert from "node:assert/strict";
import { test } from "node:test";
import { annotation, cacheSeconds, plan } from "./plan.ts";

const cases = [
  { name: "a small cluster looks at once", nodes: 3, before: 0, expect: 0 },
  { name: "it grows beyond the first step", nodes: 101, before: 0, expect: 15 },
  { name: "and shrinks a little", nodes: 95, before: 15, expect: 15 },
  { name: "and more", nodes: 89, before: 15, expect: 0 },
  { name: "it grows by steps", nodes: 501, before: 15, expect: 30 },
  { name: "it grows by leaps", nodes: 5000, before: 0, expect: 300 },
  { name: "on the border it stays as it is", nodes: 480, before: 30, expect: 30 },
  { name: "it shrinks by leaps", nodes: 95, before: 300, expect: 15 },
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
