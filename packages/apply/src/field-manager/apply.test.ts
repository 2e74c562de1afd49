import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "@coxswain/machinery";
import { decodeManagedFields, encodeManagedFields, unmanaged } from "../managed-fields/managed-fields.ts";
import { applyObject } from "./apply.ts";
import { Story, thing, thingType } from "./apply-fixture.test.ts";

const data = (...keys: string[]) => ({ "f:data": Object.fromEntries(keys.map((key) => [key === "." ? key : `f:${key}`, {}])) });

function refusal(run: () => unknown): StatusError["status"] {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  return assert.fail("nothing was refused");
}

// The recorded story of apply.json on Kubernetes 1.36.3.
test("creates, repeats, shares, forces, gives up and loses", () => {
  const story = new Story().apply("one", { data: { a: "1", b: "1" } });
  assert.deepEqual(story.owners, { "one Apply@0": data("a", "b") });
  const before = story.managed;
  story.apply("one", { data: { a: "1", b: "1" } });
  assert.equal(story.managed.managers[0], before.managers[0]);
  story.apply("two", { data: { b: "1" } });
  assert.deepEqual(story.owners, { "two Apply": data("b"), "one Apply@0": data("a", "b") });
  story.apply("two", { data: { a: "2" } }, { force: true });
  assert.deepEqual(story.owners, { "one Apply@0": data("b"), "two Apply@3": data("a") });
  assert.deepEqual(story.object.data, { a: "2", b: "1" });
  story.apply("one", {});
  assert.deepEqual(story.owners, { "two Apply@3": data("a") });
  assert.deepEqual(story.object.data, { a: "2" });
  story.update("three", { data: { a: "9" } });
  assert.deepEqual(story.owners, { "three Update@5": data("a") });
});

const owned = () => new Story().apply("one", { data: { a: "1", b: "1" } });
const conflicts = [
  {
    name: "one conflict",
    run: () => owned().apply("two", { data: { a: "2" } }),
    message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
    causes: [['conflict with "one"', ".data.a"]],
  },
  {
    name: "several conflicts",
    run: () =>
      owned()
        .apply("zwei", { data: { b: "2" } }, { force: true })
        .apply("two", { data: { a: "3", b: "3" } }),
    message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\nconflicts with "zwei":\n- .data.b',
    causes: [
      ['conflict with "one"', ".data.a"],
      ['conflict with "zwei"', ".data.b"],
    ],
  },
  {
    name: "an updater",
    run: () => new Story().update("three", { data: { a: "9" } }).apply("two", { data: { a: "2" } }),
    message: 'Apply failed with 1 conflict: conflict with "three" using v1: .data.a',
    causes: [['conflict with "three" using v1', ".data.a"]],
  },
  {
    name: "an updater of a subresource, within an item",
    run: () =>
      new Story()
        .update(
          "hpa",
          { spec: { containers: [{ name: "c", ports: [{ port: 80, protocol: "TCP", label: "x" }] }] } },
          { subresource: "scale" },
        )
        .apply("two", { spec: { containers: [{ name: "c", ports: [{ port: 80, label: "y" }] }] } }),
    message:
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using v1: .spec.containers[name="c"].ports[port=80,protocol="TCP"].label',
    causes: [['conflict with "hpa" with subresource "scale" using v1', '.spec.containers[name="c"].ports[port=80,protocol="TCP"].label']],
  },
];
for (const { name, run, message, causes } of conflicts) {
  test(`conflict: ${name}`, () => {
    const status = refusal(run);
    assert.deepEqual([status.code, status.reason, status.message], [409, "Conflict", message]);
    assert.deepEqual(status.details, { causes: causes.map(([text, field]) => ({ reason: "FieldManagerConflict", message: text, field })) });
  });
}

const removals = [
  {
    name: "what a manager no longer applies goes",
    story: () =>
      new Story()
        .apply("one", { spec: { replicas: 1, containers: [{ name: "c", image: "i" }, { name: "d" }] } })
        .apply("one", { spec: { containers: [{ name: "d" }] } }),
    spec: { containers: [{ name: "d" }] },
  },
  {
    name: "unless another manager owns it",
    story: () =>
      new Story()
        .apply("one", { spec: { replicas: 1, paused: true } })
        .apply("two", { spec: { replicas: 1 } })
        .apply("one", { spec: { paused: true } }),
    spec: { replicas: 1, paused: true },
  },
  {
    name: "nor when it was never the manager's",
    story: () =>
      new Story()
        .update("up", { spec: { replicas: 1, paused: true } })
        .apply("one", { spec: { paused: true } })
        .apply("one", {}),
    spec: { replicas: 1, paused: true },
  },
  {
    name: "an item goes with what it holds, and stays for what others have in it",
    story: () =>
      new Story()
        .apply("one", { spec: { containers: [{ name: "c", image: "i" }] } })
        .apply("two", { spec: { containers: [{ name: "c", ports: [{ port: 80 }] }] } })
        .apply("one", {}),
    spec: { containers: [{ name: "c", ports: [{ port: 80 }] }] },
  },
  {
    name: "null is owned",
    story: () => new Story().apply("one", { spec: { replicas: null } }),
    spec: { replicas: null },
  },
];
for (const { name, story, spec } of removals) test(`removal: ${name}`, () => assert.deepEqual(story().object.spec, spec));

test("fields without a manager are recorded for before-first-apply", () => {
  const by = { type: thingType, apiVersion: "v1", manager: "one", now: "2026-01-01T00:00:00Z", force: false, empty: thing({}) };
  const live = thing({ metadata: { name: "t", uid: "1" }, data: { a: "1", b: "1" } });
  const { managed } = applyObject(live, thing({ data: { b: "1" } }), unmanaged, by);
  assert.deepEqual(
    encodeManagedFields(managed).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]),
    [
      ["one", "Apply", data("b")],
      ["before-first-apply", "Update", data(".", "a", "b")],
    ],
  );
  const conflict = refusal(() => applyObject(live, thing({ data: { b: "2" } }), unmanaged, by));
  assert.equal(conflict.message, 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.b');
});

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const clientSide = (parts: Readonly<Record<string, unknown>>) => {
  const config = thing(parts);
  return new Story().update("kubectl-client-side-apply", {
    ...parts,
    metadata: { name: "t", annotations: { [lastApplied]: JSON.stringify(config) } },
  });
};

test("kubectl takes over what its annotation says that it applied", () => {
  const story = clientSide({ data: { a: "1" } }).apply("kubectl", { data: { a: "2", b: "<" } });
  assert.deepEqual(story.object.data, { a: "2", b: "<" });
  const text = '{"apiVersion":"v1","data":{"a":"2","b":"\\u003c"},"kind":"Thing","metadata":{"name":"t"}}\n';
  assert.equal(story.object.metadata?.annotations?.[lastApplied], text);
});

for (const [name, run] of [
  [
    "what changed since",
    () =>
      clientSide({ data: { a: "1" } })
        .update("edit", { ...clientSide({ data: { a: "1" } }).object, data: { a: "5" } })
        .apply("kubectl", { data: { a: "2" } }),
  ],
  ["another manager's apply", () => clientSide({ data: { a: "1" } }).apply("flux", { data: { a: "2" } })],
] as const)
  test(`the annotation does not hand over ${name}`, () => assert.equal(refusal(run).reason, "Conflict"));

for (const [name, parts, code, message] of [
  [
    "undeclared fields",
    { spec: { bogus: 1 } },
    500,
    "failed to create typed patch object (/t; /v1, Kind=Thing): .spec.bogus: field not declared in schema",
  ],
  [
    "duplicates",
    { spec: { containers: [{ name: "c" }, { name: "c" }] } },
    500,
    'failed to create typed patch object (/t; /v1, Kind=Thing): .spec.containers: duplicate entries for key [name="c"]',
  ],
  ["managed fields", { metadata: { name: "t", managedFields: [{ manager: "x" }] } }, 400, "metadata.managedFields must be nil"],
] as const)
  test(`${name} are refused`, () => {
    const status = refusal(() => new Story().apply("one", parts));
    assert.deepEqual([status.code, status.message], [code, message]);
  });

test("a manager's set in another version is pruned in that version", () => {
  const renamed = (object: object) =>
    JSON.parse(JSON.stringify(object).replace('"old":', '"t":').replace('"new":', '"old":').replace('"t":', '"new":'));
  const entry = { manager: "one", operation: "Apply", apiVersion: "v0", fieldsType: "FieldsV1", fieldsV1: data("old", "x") } as const;
  const by = { type: thingType, apiVersion: "v1", manager: "one", now: "2026-01-01T00:00:00Z", force: false, empty: thing({}) };
  const live = thing({ data: { new: "1", x: "1", y: "1" } });
  const other = (apiVersion: string) => (apiVersion === "v0" ? { type: thingType, to: renamed, from: renamed } : undefined);
  const managed = decodeManagedFields([entry]);
  assert.deepEqual(applyObject(live, thing({ data: { x: "1" } }), managed, { ...by, other }).object.data, { x: "1", y: "1" });
  const dropped = applyObject(live, thing({ data: { x: "1" } }), managed, by);
  assert.deepEqual(dropped.object.data, live.data);
  assert.deepEqual(encodeManagedFields(dropped.managed)[0]?.apiVersion, "v1");
});
