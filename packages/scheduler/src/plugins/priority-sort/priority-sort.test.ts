import assert from "node:assert/strict";
import { test } from "node:test";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import { podWith } from "../plugin-under-test.ts";
import { handleOf } from "../volumes/objects-under-test.ts";
import { prioritySort } from "./priority-sort.ts";

const queued = (priority: number | undefined, queuedAt: number) => ({
  pod: newPodInfo(podWith(priority === undefined ? {} : { priority })),
  queuedAt,
});
const cases = [
  { name: "different priorities, the higher one is first", a: queued(10, 2), b: queued(1, 1), expect: [true, false] },
  { name: "no priority, it counts as 0", a: queued(undefined, 2), b: queued(-1, 1), expect: [true, false] },
  { name: "equal priorities, the Pod that was queued earlier is first", a: queued(5, 1), b: queued(5, 2), expect: [true, false] },
  { name: "equal priorities and times, neither is first", a: queued(5, 1), b: queued(5, 1), expect: [false, false] },
];
for (const { name, a, b, expect } of cases)
  test(name, () => {
    const { less } = prioritySort({}, handleOf());
    assert.deepEqual([less?.(a, b), less?.(b, a)], expect);
  });
