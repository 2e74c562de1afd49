import assert from "node:assert/strict";
import { test } from "node:test";
import { MetricsRegistry } from "@coxswain/client";
import { podMetrics } from "../metrics/pod-metrics.ts";
import { SyncError } from "../pod/sync-error.ts";
import { countMounts } from "./image-volumes.ts";
import type { SyncContext } from "./sync-context.ts";

const image = { ref: "sha256:1", reference: "data:1", runtimeHandler: "", annotations: {} };
const mounted = new Map([["data", image]]);
const container = { name: "c", volumeMounts: ["data", "data", "other"].map((name, i) => ({ name, mountPath: `/${i}` })) };
const unmounted = new SyncError("CreateContainerError", "ImageVolumeMountFailed: no such folder");

/** Requests are counted by volume, mounts one by one. */
const cases = [
  { name: "a container that runs", images: mounted, expect: [1, 2, 0] },
  { name: "a container whose runtime could not mount it", images: mounted, problem: unmounted, expect: [1, 0, 2] },
  { name: "one that failed otherwise", images: mounted, problem: new SyncError("CreateContainerError", "no memory"), expect: [1, 2, 0] },
  { name: "a container without images", images: new Map(), expect: [0, 0, 0] },
];
for (const { name, images, problem, expect } of cases)
  test(`image volumes are counted of ${name}`, () => {
    const registry = new MetricsRegistry();
    countMounts({ metrics: podMetrics(registry) } as SyncContext, container, images, problem);
    const text = registry.text();
    const counted = (what: string): number => Number(new RegExp(`^kubelet_image_volume_${what}_total (\\d+)`, "m").exec(text)?.[1]);
    assert.deepEqual(["requested", "mounted_succeed", "mounted_errors"].map(counted), expect);
  });
