import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeWith, podWith, scores } from "../plugin-under-test.ts";
import { imageLocality } from "./image-locality.ts";

const MiB = 2 ** 20;
const having = (name: string, ...images: readonly [name: string, mebibytes: number][]) =>
  nodeWith(name, { images: images.map(([image, size]) => ({ names: [image], sizeBytes: size * MiB })) });
const using = (...images: string[]) => podWith({ containers: images.map((image, i) => ({ name: `c${i}`, image })) });

// 100 × (bytes × share of nodes − 23 MiB) / (1000 MiB × containers − 23 MiB)
const cases = [
  { name: "half of the nodes have the image", nodes: [having("a", ["app:1", 1000]), having("b")], pod: using("app:1"), expect: [48, 0] },
  {
    name: "all nodes have the image",
    nodes: [having("a", ["app:1", 600]), having("b", ["app:1", 600])],
    pod: using("app:1"),
    expect: [59, 59],
  },
  {
    name: "an image without a tag is :latest",
    nodes: [having("a", ["app:latest", 2000]), having("b")],
    pod: using("app"),
    expect: [100, 0],
  },
  {
    name: "the port of a registry is not taken for a tag",
    nodes: [having("a", ["r:5000/app:latest", 2000])],
    pod: using("r:5000/app"),
    expect: [100],
  },
  {
    name: "an image below the minimum size scores 0",
    nodes: [having("a", ["app:1", 40]), having("b")],
    pod: using("app:1"),
    expect: [0, 0],
  },
  {
    name: "one image of two is on the node",
    nodes: [having("a", ["app:1", 1500]), having("b")],
    pod: using("app:1", "log:1"),
    expect: [36, 0],
  },
  { name: "no node has the image, Score is skipped", nodes: [having("a", ["other:1", 500])], pod: using("app:1"), expect: "skip" },
] as const;
for (const { name, nodes, pod, expect } of cases)
  test(`Score: ${name}`, () => assert.deepEqual(scores(imageLocality, { nodes }, pod), expect));
