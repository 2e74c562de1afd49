import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { type AskIsolation, isolatePod } from "./isolate-pod.ts";

const pod = { uid: "u", namespace: "x", name: "a", addresses: ["10.0.0.1"] };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What the kubelet gets to know, in order. */
function starting(ask: AskIsolation) {
  const clock = new ManualClock();
  const reported: string[] = [];
  const stop = new AbortController();
  isolatePod(ask, clock)(pod, (problem) => void reported.push(problem), stop.signal).then(
    () => void reported.push("starts"),
    (error: Error) => void reported.push(`given up: ${error.message}`),
  );
  const after = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    await turn();
    return reported;
  };
  return { after, stop };
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

test("a Pod of which it is said that it may start does", async () => {
  assert.deepEqual(await starting(async () => undefined).after(0), ["starts"]);
});

test("a Pod of which nobody says anything starts when it has waited, which is reported", async () => {
  const { after } = starting((_pod, { signal }) => whenAborted(signal));
  assert.deepEqual(await after(9_999), []);
  const why = "containers start although nobody says whether NetworkPolicies are about the Pod: no answer in 10 s";
  assert.deepEqual(await after(1), [why, "starts"]);
});

test("a Pod that a policy is about waits for its rules, however long that takes", async () => {
  const rules = Promise.withResolvers<void>();
  const { after } = starting((_pod, { onSelected }) => {
    onSelected();
    return rules.promise;
  });
  const why = "containers wait: the rules of NetworkPolicies about the Pod are not written yet";
  assert.deepEqual(await after(10_000), [why]);
  assert.deepEqual(await after(3_600_000), [why]);
  rules.resolve();
  assert.deepEqual(await after(0), [why, "starts"]);
});

test("a Pod that is to end waits no longer", async () => {
  const { after, stop } = starting((_pod, { onSelected, signal }) => {
    onSelected();
    return whenAborted(signal);
  });
  stop.abort(new Error("the Pod is to end"));
  assert.deepEqual(await after(0), ["given up: the Pod is to end"]);
});
