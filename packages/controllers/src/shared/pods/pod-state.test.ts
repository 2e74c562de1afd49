import assert from "node:assert/strict";
import { test } from "node:test";
import { isPodActive, isPodAvailable, isPodTerminating, nextAvailabilityMs } from "./pod-state.ts";
import { type PodUnderTest, podUnderTest } from "./pod-under-test.ts";

const states: readonly [name: string, given: PodUnderTest, active: boolean, terminating: boolean][] = [
  ["running", {}, true, false],
  ["pending", { phase: "Pending" }, true, false],
  ["succeeded", { phase: "Succeeded" }, false, false],
  ["failed", { phase: "Failed" }, false, false],
  ["running but deleted", { isGoing: true }, false, true],
  ["failed and deleted", { phase: "Failed", isGoing: true }, false, false],
];
for (const [name, given, active, terminating] of states)
  test(`${name} is ${active ? "" : "not "}active and ${terminating ? "" : "not "}terminating`, () => {
    assert.equal(isPodActive(podUnderTest(given)), active);
    assert.equal(isPodTerminating(podUnderTest(given)), terminating);
  });

const availability: readonly [name: string, given: PodUnderTest, minReadySeconds: number, expect: boolean][] = [
  ["one that is not ready is not available", {}, 0, false],
  ["one that is ready is available at once", { readyAt: 10_000 }, 0, true],
  ["not before its time", { readyAt: 6_000 }, 5, false],
  ["from its time on", { readyAt: 5_000 }, 5, true],
];
for (const [name, given, minReadySeconds, expect] of availability)
  test(name, () => assert.equal(isPodAvailable(podUnderTest(given), minReadySeconds, 10_000), expect));

test("returns when the next becomes available", () => {
  const pods = [podUnderTest({ readyAt: 4_000 }), podUnderTest({ readyAt: 8_000 }), podUnderTest({ readyAt: 7_000 }), podUnderTest()];
  assert.equal(nextAvailabilityMs(pods, 5, 10_000), 2_000);
  assert.equal(nextAvailabilityMs(pods, 0, 10_000), undefined);
  assert.equal(nextAvailabilityMs(pods, 1, 10_000), undefined);
});
