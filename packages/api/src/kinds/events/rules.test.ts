import { testRules } from "../rules-under-test.ts";

const event = {
  eventTime: "2026-01-01T00:00:00.000000Z",
  action: "A",
  reason: "R",
  type: "Normal",
  regarding: { namespace: "ns" },
  reportingController: "example.com/c",
  reportingInstance: "i",
};

testRules([
  {
    name: "a new event's fields",
    of: ["events.k8s.io", "v1", "events"],
    object: { ...event, type: "Other", deprecatedCount: 1 },
    expect: ['type: Invalid value: "": has invalid value: Other', 'count: Invalid value: "": needs to be unset'],
  },
  {
    name: "that a new event stays",
    of: ["events.k8s.io", "v1", "events"],
    object: { ...event, note: "other", series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } },
    before: event,
    expect: ['series.count: Invalid value: "": should be at least 2', 'message: Invalid value: "other": field is immutable'],
  },
]);
