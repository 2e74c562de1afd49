import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { type CoreEvent, type Correlated, EventCorrelator } from "./event-correlator.ts";

function start() {
  const clock = new ManualClock();
  let names = 0;
  return { clock, correlator: new EventCorrelator({ clock, nameFor: (name) => `${name}.${++names}` }) };
}

let count = 0;
const event = (message: string, changes: Partial<CoreEvent> = {}): CoreEvent => ({
  metadata: { name: `web.new-${++count}`, namespace: "default" },
  involvedObject: { kind: "Pod", apiVersion: "v1", namespace: "default", name: "web", uid: "u1" },
  type: "Warning",
  reason: "BackOff",
  message,
  count: 1,
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:00:00Z",
  source: { component: "kubelet", host: "node-1" },
  ...changes,
});

const eventIn = (correlated: Correlated): CoreEvent => {
  assert.ok(correlated.do !== "drop");
  return correlated.event;
};

test("counts what repeats, under the name and from the time of the first", () => {
  const { correlator } = start();
  const first = correlator.correlate(event("again"));
  assert.equal(first.do, "create");
  correlator.written({ ...eventIn(first), metadata: { ...eventIn(first).metadata, name: "as-written" } });
  const second = correlator.correlate(event("again", { lastTimestamp: "2026-01-01T00:00:09Z" }));
  assert.equal(second.do, "patch");
  assert.deepEqual(second.do === "patch" && second.patch, { count: 2, lastTimestamp: "2026-01-01T00:00:09Z", message: "again" });
  assert.equal(eventIn(second).metadata.name, "as-written");
  assert.equal(eventIn(correlator.correlate(event("again"))).count, 3);
});

test("goes on counting from what the server knows", () => {
  const { correlator } = start();
  correlator.written(event("again", { count: 41 }));
  assert.equal(eventIn(correlator.correlate(event("again"))).count, 42);
});

test("combines messages that differ from the tenth on, until there was none for ten minutes", () => {
  const { clock, correlator } = start();
  const correlated = Array.from({ length: 12 }, (_, i) => correlator.correlate(event(`number ${i}`)));
  assert.deepEqual(
    correlated.slice(0, 9).map(({ do: what }) => what),
    Array.from({ length: 9 }, () => "create"),
  );
  assert.deepEqual(
    correlated.slice(9).map((one) => [one.do, eventIn(one).message, eventIn(one).count, eventIn(one).metadata.name]),
    [
      ["create", "(combined from similar events): number 9", 1, "web.1"],
      ["patch", "(combined from similar events): number 10", 2, "web.1"],
      ["patch", "(combined from similar events): number 11", 3, "web.1"],
    ],
  );
  clock.advance(600_001);
  assert.equal(eventIn(correlator.correlate(event("number 99"))).message, "number 99");
});

test("lets an object have 25 at once, and one more in five minutes", () => {
  const { clock, correlator } = start();
  const isRecorded = (changes?: Partial<CoreEvent>) => correlator.correlate(event("again", changes)).do !== "drop";
  assert.deepEqual(
    Array.from({ length: 27 }, () => isRecorded()),
    Array.from({ length: 27 }, (_, i) => i < 25),
  );
  assert.ok(isRecorded({ involvedObject: { kind: "Pod", name: "other", uid: "u2" } }));
  clock.advance(299_999);
  assert.equal(isRecorded(), false);
  clock.advance(1);
  assert.deepEqual([isRecorded(), isRecorded()], [true, false]);
});

test("remembers no more than it may", () => {
  const clock = new ManualClock();
  const correlator = new EventCorrelator({ clock, nameFor: String, remembered: 2 });
  const about = (name: string) => event("again", { involvedObject: { kind: "Pod", name } });
  for (const name of ["a", "b", "a", "c"]) correlator.correlate(about(name));
  assert.deepEqual(
    ["a", "b"].map((name) => correlator.correlate(about(name)).do),
    ["patch", "create"],
  );
});
