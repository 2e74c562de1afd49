import assert from "node:assert/strict";
import { test } from "node:test";
import { imageVolumeProblems } from "./image-volumes.ts";

const cases = [
  { name: "containerd", version: "1.6.20~ds1", expect: ["images", "subPaths"] },
  { name: "containerd", version: "v2.0.5", expect: ["images", "subPaths"] },
  { name: "containerd", version: "v2.1.4", expect: ["subPaths"] },
  { name: "containerd", version: "2.2.9+unknown", expect: [] },
  { name: "containerd", version: "v2.2.0-rc.1", expect: [] },
  { name: "containerd", version: "v3.0.0", expect: [] },
  { name: "cri-o", version: "1.30.2", expect: ["images", "subPaths"] },
  { name: "cri-o", version: "1.32.0", expect: ["subPaths"] },
  { name: "cri-o", version: "1.36.0", expect: [] },
  { name: "containerd", version: "built from a branch", expect: [] },
  { name: "another", version: "0.1.0", expect: [] },
];
for (const { name, version, expect } of cases)
  test(`${name} ${version} cannot mount ${expect.join(" and ") || "nothing"} of images`, () =>
    assert.deepEqual(Object.keys(imageVolumeProblems({ name, version })), expect));

test("says what is needed, and what there is", () =>
  assert.deepEqual(imageVolumeProblems({ name: "containerd", version: "1.6.20~ds1" }), {
    images: "image volumes need containerd 2.1 or newer, and this node has containerd 1.6.20~ds1",
    subPaths: "sub paths of image volumes need containerd 2.2 or newer, and this node has containerd 1.6.20~ds1",
  }));
