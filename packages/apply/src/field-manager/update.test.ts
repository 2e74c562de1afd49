import assert from "node:assert/strict";
import { test } from "node:test";
import { excluding } from "../field-path/field-filter.ts";
import { decodeManagedFields, encodeManagedFields, keepTimes, unmanaged } from "../managed-fields/managed-fields.ts";
import { Story, thingType } from "./apply-fixture.test.ts";
import { parentManagedFields, scaleManagedFields } from "./scale-fields.ts";
import { updateManagedFields } from "./update.ts";

const data = (...keys: string[]) => ({ "f:data": Object.fromEntries([...keys.map((key) => [key === "." ? key : `f:${key}`, {}])]) });

const stories = [
  {
    name: "who creates owns all, but for what is the server's",
    story: () =>
      new Story().update("one", { metadata: { name: "t", uid: "1", resourceVersion: "1", labels: { a: "1" } }, data: { a: "1" } }),
    owners: { "one Update@0": { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, ...data(".", "a") } },
  },
  {
    name: "what changes goes to who changes it, what stays stays",
    story: () => new Story().update("one", { data: { a: "1", b: "1" } }).update("two", { data: { a: "2", b: "1" } }),
    owners: { "one Update@0": data(".", "b"), "two Update@1": data("a") },
  },
  {
    name: "a write that changes nothing moves no time",
    story: () =>
      new Story()
        .update("one", { data: { a: "1" } })
        .update("one", { data: { a: "1" } })
        .update("two", { data: { a: "1" } }),
    owners: { "one Update@0": data(".", "a") },
  },
  {
    name: "a removed field has no manager, and no entry changes its time",
    story: () => new Story().update("one", { data: { a: "1", b: "1" } }).update("two", { data: { a: "1" } }),
    owners: { "one Update@0": data(".", "a") },
  },
  {
    name: "who owns nothing any more is gone",
    story: () =>
      new Story()
        .update("zero", { data: {} })
        .update("one", { data: { a: "1" } })
        .update("two", { data: { a: "2" } }),
    owners: { "zero Update@0": { "f:data": {} }, "two Update@2": data("a") },
  },
  {
    name: "an update takes from appliers too",
    story: () => new Story().apply("one", { data: { a: "1" } }).update("two", { data: { a: "2" } }),
    owners: { "two Update@1": data("a") },
  },
  {
    name: "subresources have managers of their own, and do not own what they reset",
    story: () =>
      new Story()
        .update("one", { spec: { replicas: 1 }, status: { ready: 1 } }, { filter: excluding(["status"]) })
        .update("one", { spec: { replicas: 9 }, status: { ready: 2 } }, { subresource: "status", filter: excluding(["spec"]) }),
    owners: { "one Update@0": { "f:spec": { ".": {}, "f:replicas": {} } }, "one Update status@1": { "f:status": { "f:ready": {} } } },
  },
  {
    name: "managed fields that are absent stay",
    story: () => new Story().update("one", { data: { a: "1" } }).update("two", { data: { a: "1" }, metadata: { name: "t" } }),
    owners: { "one Update@0": data(".", "a") },
  },
  ...[[], [{}]].map((managedFields) => ({
    name: `managed fields ${JSON.stringify(managedFields)} end the tracking`,
    story: () =>
      new Story()
        .update("one", { data: { a: "1" } })
        .update("two", { data: { a: "2" }, metadata: { name: "t", managedFields } })
        .update("two", { data: { a: "3" } }),
    owners: {},
  })),
  {
    name: "until the first apply",
    story: () =>
      new Story()
        .update("one", { data: { a: "1" } })
        .update("two", { data: { a: "2" }, metadata: { name: "t", managedFields: [] } })
        .apply("three", { data: { b: "1" } }),
    owners: { "three Apply@2": data("b"), "before-first-apply Update@2": data(".", "a") },
  },
  {
    name: "managed fields that a client rewrites count, those that are unsound do not",
    story: () => {
      const entry = {
        manager: "mine",
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} } },
      };
      return new Story()
        .update("one", { data: { a: "1" } })
        .update("two", { data: { a: "1" }, metadata: { name: "t", managedFields: [entry] } })
        .update("two", { data: { a: "1" }, metadata: { name: "t", managedFields: [{ ...entry, operation: "Steal" }] } });
    },
    owners: { "mine Apply": data("a") },
  },
  {
    name: "subresources cannot rewrite them",
    story: () =>
      new Story()
        .update("one", { data: { a: "1" } })
        .update("two", { data: { a: "1" }, metadata: { name: "t", managedFields: [] } }, { subresource: "status" }),
    owners: { "one Update@0": data(".", "a") },
  },
];
for (const { name, story, owners } of stories) test(name, () => assert.deepEqual(story().owners, owners));

test("the oldest of more than ten updaters share an entry", () => {
  const story = new Story();
  const values: Record<string, string> = {};
  for (let i = 0; i < 12; i++) {
    values[`k${i}`] = "1";
    story.update(`m${i}`, { data: { ...values } });
  }
  assert.equal(story.managed.managers.length, 10);
  assert.deepEqual(story.owners["ancient-changes Update@2"], data(".", "k0", "k1", "k2"));
});

test("sets of versions that are not served are dropped, those of others follow the conversion", () => {
  const entry = (apiVersion: string) => ({
    manager: "m",
    operation: "Update" as const,
    apiVersion,
    fieldsType: "FieldsV1" as const,
    fieldsV1: data("a", "b"),
  });
  const managed = decodeManagedFields([entry("v1"), entry("v2"), entry("v9")]);
  const live = { metadata: { uid: "1" }, data: { a: "1", b: "1" } };
  const next = { metadata: { uid: "1" }, data: { a: "2", b: "1" } };
  const renamed = (object: object) =>
    JSON.parse(JSON.stringify(object).replace('"a":', '"c":').replace('"b":', '"a":').replace('"c":', '"b":'));
  const result = updateManagedFields(live, next, managed, {
    type: thingType,
    apiVersion: "v1",
    manager: "n",
    now: "2026-01-01T00:00:00Z",
    other: (apiVersion) => (apiVersion === "v2" ? { type: thingType, to: renamed, from: renamed } : undefined),
  });
  assert.deepEqual(
    encodeManagedFields(result).map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]),
    [
      ["m", "v1", data("b")],
      ["m", "v2", data("a")],
      ["n", "v1", data("a")],
    ],
  );
});

test("what has become atomic since is owned whole", () => {
  const fieldsV1 = { "f:spec": { "f:selector": { "f:matchLabels": { "f:a": {} } }, "f:args": { 'v:"x"': {} } } };
  const managed = decodeManagedFields([{ manager: "m", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }]);
  const object = { metadata: { uid: "1" }, spec: { selector: { matchLabels: { a: "1" } }, args: ["x"] } };
  const result = updateManagedFields(object, { ...object, data: { a: "1" } }, managed, {
    type: thingType,
    apiVersion: "v1",
    manager: "n",
    now: "2026-01-01T00:00:00Z",
  });
  assert.deepEqual(encodeManagedFields(result)[0]?.fieldsV1, { "f:spec": { "f:args": {}, "f:selector": {} } });
});

test("objects of a wrong shape lose their managed fields rather than failing", () => {
  const story = new Story().update("one", { data: { a: "1" } });
  assert.deepEqual(story.update("two", { spec: { containers: [null] } }).owners, {});
});

test("a scale owns the parent's replicas, and gives them back", () => {
  const replicas = new Map([["v1", ["spec", "replicas"]]]);
  const parent = new Story().update("one", { spec: { replicas: 1, paused: true } }).managed;
  const scale = scaleManagedFields(parent, replicas);
  assert.deepEqual(
    encodeManagedFields(scale).map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]),
    [["one", "autoscaling/v1", { "f:spec": { "f:replicas": {} } }]],
  );
  assert.deepEqual(parentManagedFields(parent, scale, replicas, "v1"), parent);
  const taken = { ...scale.managers[0]!, manager: "hpa", subresource: "scale", apiVersion: "autoscaling/v1" };
  const after = encodeManagedFields(parentManagedFields(parent, { managers: [taken] }, replicas, "v1"));
  assert.deepEqual(
    after.map(({ manager, subresource, apiVersion, time, fieldsV1 }) => ({ manager, subresource, apiVersion, time, fieldsV1 })),
    [
      { manager: "hpa", subresource: "scale", apiVersion: "v1", time: undefined, fieldsV1: { "f:spec": { "f:replicas": {} } } },
      {
        manager: "one",
        subresource: undefined,
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsV1: { "f:spec": { ".": {}, "f:paused": {} } },
      },
    ],
  );
});

test("times that alone differ are kept", () => {
  const { managed } = new Story().update("one", { data: { a: "1" } });
  const later = { managers: managed.managers.map((entry) => ({ ...entry, time: "2027-01-01T00:00:00Z" })) };
  assert.equal(keepTimes(managed, later), managed);
  assert.equal(keepTimes(unmanaged, later), later);
});

test("entries are in Kubernetes' order and read back as they were", () => {
  const entry = { operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} } as const;
  const sorted = [
    { manager: "z", ...entry, operation: "Apply" as const, time: "2026-01-02T00:00:00Z" },
    { manager: "a", ...entry },
    { manager: "b", ...entry, time: "2026-01-01T00:00:00Z" },
    { manager: "b", ...entry, time: "2026-01-01T00:00:00Z", subresource: "status" },
    { manager: "a", ...entry, time: "2026-01-01T02:00:00+01:00", subresource: "scale" },
  ];
  assert.deepEqual(encodeManagedFields(decodeManagedFields(sorted.toReversed())), sorted);
});

for (const [entry, error] of [
  [{}, /operation must be `Apply` or `Update`/],
  [{ operation: "Update" }, /apiVersion must not be empty/],
  [{ operation: "Update", apiVersion: "v1" }, /missing fieldsType in managed fields entry 0/],
  [{ operation: "Update", apiVersion: "v1", fieldsType: "V2" as "FieldsV1" }, /invalid fieldsType "V2" in managed fields entry 0/],
] as const)
  test(String(error), () => assert.throws(() => decodeManagedFields([entry]), error));
