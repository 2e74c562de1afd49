import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inDeletionOrder } from "./deletion-order.ts";
import type { Pod } from "./pod-state.ts";
import { type PodUnderTest, podUnderTest } from "./pod-under-test.ts";

const second = 1000;
const nowMs = 1_000_000 * second;
const cost = (value: string) => ({ "controller.kubernetes.io/pod-deletion-cost": value });
const ready = { node: "n", readyAt: nowMs - 100 * second, createdAt: nowMs - 200 * second };

const cases: readonly { name: string; first: PodUnderTest; last: PodUnderTest; related?: readonly PodUnderTest[] }[] = [
  { name: "what is on no node goes before what is", first: { node: "" }, last: { node: "n" } },
  { name: "pending goes before running", first: { node: "n", phase: "Pending" }, last: { node: "n" } },
  { name: "pending goes before unknown", first: { node: "n", phase: "Pending" }, last: { node: "n", phase: "Unknown" } },
  { name: "unready goes before ready", first: { node: "n" }, last: ready },
  { name: "the cheaper goes first", first: { ...ready, annotations: cost("-5") }, last: { ...ready, annotations: cost("1") } },
  {
    name: "a cost that is no number counts as none",
    first: { ...ready, annotations: cost("-1") },
    last: { ...ready, annotations: cost("+9") },
  },
  {
    name: "a cost beyond 32 bits counts as none",
    first: { ...ready, annotations: cost("-1") },
    last: { ...ready, annotations: cost("-2147483649") },
  },
  {
    name: "the one in the larger crowd goes first",
    first: { ...ready, node: "full", readyAt: nowMs - 900 * second },
    last: { ...ready, node: "empty" },
    related: [{ node: "full" }, { node: "full" }, { node: "empty" }],
  },
  {
    name: "Pods on their way out are no crowd",
    first: { ...ready, readyAt: nowMs - second },
    last: { ...ready, node: "other" },
    related: [{ node: "other", isGoing: true }],
  },
  { name: "the later ready goes first", first: { ...ready, readyAt: nowMs - second }, last: ready },
  { name: "ready since an unknown time is deleted first", first: { ...ready, readyAt: Number.NaN }, last: ready },
  { name: "more restarts go first", first: { ...ready, restarts: 3 }, last: { ...ready, restarts: 2 } },
  { name: "the younger goes first", first: { ...ready, createdAt: nowMs - second }, last: ready },
  {
    name: "within one power of two the uid decides",
    first: { ...ready, name: "a", createdAt: nowMs - 201 * second },
    last: { ...ready, name: "b" },
  },
];
for (const { name, first, last, related = [] } of cases)
  test(name, () => {
    const [one, other] = [podOf(first), podOf(last)];
    const options = { related: related.map(podUnderTest), nowMs };
    assert.deepEqual(inDeletionOrder([other, one], options), [one, other]);
    assert.deepEqual(inDeletionOrder([one, other], options), [one, other]);
  });

/** NaN: it is ready, since an unknown time. */
function podOf(given: PodUnderTest) {
  if (!Number.isNaN(given.readyAt)) return podUnderTest(given);
  const pod = podUnderTest({ ...given, readyAt: 0 });
  return { ...pod, status: { ...pod.status, conditions: [{ type: "Ready", status: "True" }] } };
}

test("is one order, whatever the order they come in", () => {
  const pod = fc.record({
    node: fc.constantFrom("", "n1", "n2"),
    phase: fc.constantFrom("Pending", "Running", "Unknown"),
    readyAt: fc.constantFrom(nowMs - second, nowMs - 64 * second),
    createdAt: fc.constantFrom(nowMs - second, nowMs - 70 * second, nowMs - 100 * second),
    restarts: fc.nat(2),
  });
  const shuffled = fc.array(pod, { maxLength: 8 }).chain((given) => {
    const pods = given.map((one, i) => podUnderTest({ ...one, name: `pod-${i}` }));
    return fc.tuple(fc.constant(pods), fc.shuffledSubarray(pods, { minLength: pods.length }));
  });
  const order = (pods: readonly Pod[], related: readonly Pod[]) =>
    inDeletionOrder(pods, { related, nowMs }).map(({ metadata }) => metadata?.name);
  fc.assert(fc.property(shuffled, ([pods, mixed]) => assert.deepEqual(order(mixed, pods), order(pods, pods))));
});
