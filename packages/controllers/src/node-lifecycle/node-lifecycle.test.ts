import assert from "node:assert/strict";
import { test } from "node:test";
import { observeHealth, silentConditions } from "./node-health.ts";
import { type Node, zoneOf } from "./node-state.ts";
import { noExecuteChange, noScheduleChange, taintsAfter } from "./taints.ts";
import { Zones } from "./zones.ts";

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString().replace(".000Z", "Z");

const node = (conditions: readonly { type: string; status: string; lastHeartbeatTime?: string }[], more: Partial<Node> = {}): Node => ({
  metadata: { name: "n", creationTimestamp: at(0) },
  status: { conditions: [...conditions] },
  ...more,
});
const ready = (beat: number, status = "True") => ({ type: "Ready", status, lastHeartbeatTime: at(beat) });
const lease = (renewed: number) => ({ spec: { renewTime: at(renewed) } });

interface Seen {
  readonly atSeconds: number;
  readonly node: Node;
  readonly renewed?: number;
}
const health = (readings: readonly Seen[]) =>
  readings.reduce(
    (before, reading) =>
      observeHealth({
        before,
        node: reading.node,
        lease: reading.renewed === undefined ? undefined : lease(reading.renewed),
        nowMs: reading.atSeconds * 1000,
        wallMs: start + reading.atSeconds * 1000,
      }),
    undefined as ReturnType<typeof observeHealth> | undefined,
  );

const reports = [
  { name: "with its creation while it has said nothing", readings: [{ atSeconds: 20, node: node([]) }], expect: 0 },
  { name: "with the first look, whatever its clock says", readings: [{ atSeconds: 20, node: node([ready(-3600)]) }], expect: 20 },
  {
    name: "with its first word",
    readings: [
      { atSeconds: 5, node: node([]) },
      { atSeconds: 20, node: node([ready(10)]) },
    ],
    expect: 20,
  },
  {
    name: "with a new heartbeat",
    readings: [
      { atSeconds: 5, node: node([ready(1)]) },
      { atSeconds: 20, node: node([ready(11)]) },
    ],
    expect: 20,
  },
  {
    name: "not with an old one",
    readings: [
      { atSeconds: 5, node: node([ready(1)]) },
      { atSeconds: 20, node: node([ready(1)]) },
    ],
    expect: 5,
  },
  {
    name: "with a Lease that was renewed",
    readings: [
      { atSeconds: 5, node: node([ready(1)]), renewed: 4 },
      { atSeconds: 20, node: node([ready(1)]), renewed: 14 },
    ],
    expect: 20,
  },
  {
    name: "not with a Lease that was not",
    readings: [
      { atSeconds: 5, node: node([ready(1)]), renewed: 4 },
      { atSeconds: 20, node: node([ready(1)]), renewed: 4 },
    ],
    expect: 5,
  },
];
for (const { name, readings, expect } of reports)
  test(`the last report of a Node, ${name}`, () => assert.equal((health(readings)?.heardMs ?? 0) / 1000, expect));

const silent = (one: Node, afterSeconds: number) => {
  const before = observeHealth({ before: undefined, node: one, lease: undefined, nowMs: 0, wallMs: start });
  return silentConditions(one, before, afterSeconds * 1000, start + afterSeconds * 1000);
};

for (const hours of [-1, 1])
  test(`a calendar that is set ${hours < 0 ? "back" : "forward"} makes no Node silent, and keeps none from being so`, () => {
    const set = start + hours * 3_600_000;
    for (const one of [node([ready(0)]), node([])]) {
      const before = observeHealth({ before: undefined, node: one, lease: undefined, nowMs: 0, wallMs: start });
      assert.equal(
        silentConditions(one, observeHealth({ before, node: one, lease: undefined, nowMs: 10_000, wallMs: set }), 10_000, set),
        undefined,
      );
      assert.notEqual(
        silentConditions(one, observeHealth({ before, node: one, lease: undefined, nowMs: 61_000, wallMs: set }), 61_000, set),
        undefined,
      );
    }
  });

test("fifty seconds after the last report of a Node all conditions of its kubelet are Unknown", () => {
  const fresh = node([ready(0), { type: "DiskPressure", status: "False" }, { type: "NetworkUnavailable", status: "False" }]);
  assert.equal(silent(fresh, 50), undefined);
  const conditions = silent(fresh, 51) ?? [];
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ["Ready", "Unknown", "NodeStatusUnknown"],
      ["DiskPressure", "Unknown", "NodeStatusUnknown"],
      ["NetworkUnavailable", "False", undefined],
      ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
    ],
  );
  assert.deepEqual(conditions[0], {
    ...ready(0, "Unknown"),
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: at(51),
  });
  assert.equal(silent(node([ready(0, "Unknown")]), 500), undefined, "it is fresh once");
});

test("a new Node has a minute to say something", () => {
  assert.equal(silent(node([]), 60), undefined);
  assert.deepEqual(silent(node([]), 61)?.[0], {
    type: "Ready",
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: at(0),
    lastTransitionTime: at(61),
  });
});

const noSchedule = [
  { name: "ready", given: node([ready(0)]), expect: [] },
  { name: "not ready", given: node([ready(0, "False")]), expect: ["not-ready"] },
  { name: "unreachable", given: node([ready(0, "Unknown")]), expect: ["unreachable"] },
  {
    name: "full",
    given: node([
      { type: "DiskPressure", status: "True" },
      { type: "PIDPressure", status: "False" },
    ]),
    expect: ["disk-pressure"],
  },
  { name: "cordoned", given: node([], { spec: { unschedulable: true } }), expect: ["unschedulable"] },
];
for (const { name, given, expect } of noSchedule)
  test(`nothing is scheduled on a Node that is ${name}`, () =>
    assert.deepEqual(
      noScheduleChange(given).add.map(({ key }) => key.replace("node.kubernetes.io/", "")),
      expect,
    ));

test("taints come with their time, and those of others stay", () => {
  const others = { key: "mine", effect: "NoSchedule" };
  const taints = [others, { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" }];
  const given = node([ready(0, "False")], { spec: { taints } });
  assert.deepEqual(taintsAfter(given, noScheduleChange(given), start), [
    others,
    { key: "node.kubernetes.io/not-ready", effect: "NoSchedule", timeAdded: at(0) },
  ]);
  assert.equal(taintsAfter(node([ready(0)], { spec: { taints: [others] } }), noScheduleChange(node([ready(0)])), start), undefined);
});

test("what drives Pods away is one of two, never both", () => {
  const keys = (status: string) =>
    [noExecuteChange(node([ready(0, status)]))].map(
      (change) => change && [change.add.key, change.remove.key].map((key) => key.split("/")[1]),
    )[0];
  assert.deepEqual([keys("True"), keys("False"), keys("Unknown")], [undefined, ["not-ready", "unreachable"], ["unreachable", "not-ready"]]);
});

test("zones are read from labels, the deprecated ones too", () => {
  assert.equal(
    zoneOf({ metadata: { labels: { "topology.kubernetes.io/region": "r", "failure-domain.beta.kubernetes.io/zone": "z" } } }),
    "r/z",
  );
});

const nodesOf = (readyOnes: number, others: number): boolean[] => [
  ...Array<boolean>(readyOnes).fill(true),
  ...Array<boolean>(others).fill(false),
];
const rates = [
  { name: "one of three Nodes: one every ten seconds", a: nodesOf(2, 1), b: nodesOf(1, 0), expect: 6 },
  { name: "more than half of a small zone: none", a: nodesOf(1, 3), b: nodesOf(1, 0), expect: 0 },
  { name: "more than half of a large zone: one every hundred seconds", a: nodesOf(20, 40), b: nodesOf(1, 0), expect: 1 },
  { name: "all of a zone, while another is well: as fast as ever", a: nodesOf(0, 4), b: nodesOf(1, 0), expect: 6 },
  { name: "all of all zones: none", a: nodesOf(0, 4), b: nodesOf(0, 1), expect: 0 },
];
for (const { name, a, b, expect } of rates)
  test(`given up within a minute when there fail ${name}`, () => {
    const zones = new Zones();
    for (let i = 0; i < 40; i++) zones.zone("a").queue.add(`n${i}`);
    zones.transition(
      new Map([
        ["a", a],
        ["b", b],
      ]),
    );
    let count = 0;
    for (let second = 0; second < 60; second += 5) {
      for (const due of zones.due(start + second * 1000)) {
        zones.zone("a").queue.delete(due);
        count++;
      }
    }
    assert.equal(count, expect);
  });

test("disruption begins when the last Node fails, and ends with the first that is back", () => {
  const zones = new Zones();
  const transitions = [nodesOf(1, 1), nodesOf(0, 2), nodesOf(0, 2), nodesOf(1, 1), nodesOf(2, 0)].map((nodes) =>
    zones.transition(new Map([["a", nodes]])),
  );
  assert.deepEqual(transitions, ["go on", "enter disruption", "go on", "leave disruption", "go on"]);
});
