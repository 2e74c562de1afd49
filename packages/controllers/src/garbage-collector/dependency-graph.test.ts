import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces, type OwnerReference, type ResourceRef } from "@coxswain/client";
import { type Consequences, DependencyGraph } from "./dependency-graph.ts";
import type { DeletionState, Node } from "./node.ts";

interface Shape {
  readonly owners?: readonly OwnerReference[];
  readonly deletionState?: DeletionState;
  readonly namespace?: string;
  readonly ref?: ResourceRef;
}

const node = (uid: string, { owners = [], deletionState = "live", namespace = "a", ref = configMaps }: Shape = {}): Node => ({
  ref,
  uid,
  name: uid,
  namespace,
  owners,
  deletionState,
});
const ownedBy = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  ...more,
});
const blocking = (uid: string) => ownedBy(uid, { blockOwnerDeletion: true });

/** What the last of these changes gives reason to. */
function after(...nodes: readonly (Node | string)[]): Consequences {
  const graph = new DependencyGraph();
  const all = nodes.map((one) => (typeof one === "string" ? graph.remove(one) : graph.observe(one)));
  return all.at(-1) ?? { check: new Set(), misplaced: [] };
}

const cases: { name: string; changes: readonly (Node | string)[]; check: string[] }[] = [
  { name: "nothing to look at without owners", changes: [node("o")], check: [] },
  { name: "the owner is there", changes: [node("o"), node("d", { owners: [ownedBy("o")] })], check: [] },
  { name: "the owner has not been seen", changes: [node("d", { owners: [ownedBy("o")] })], check: ["d"] },
  { name: "the owner comes afterwards", changes: [node("d", { owners: [ownedBy("o")] }), node("o")], check: [] },
  { name: "the owner goes", changes: [node("o"), node("d", { owners: [ownedBy("o")] }), "o"], check: ["d"] },
  { name: "the owner has another name", changes: [node("o"), node("d", { owners: [ownedBy("o", { name: "x" })] })], check: ["d"] },
  {
    name: "an owner of another name comes afterwards",
    changes: [node("d", { owners: [ownedBy("o", { name: "x" })] }), node("o")],
    check: ["d"],
  },
  {
    name: "an owner that waits for its dependents",
    changes: [node("o"), node("d", { owners: [ownedBy("o")] }), node("o", { deletionState: "foreground" })],
    check: ["d", "o"],
  },
  {
    name: "a dependent of an owner that waits for them",
    changes: [node("o", { deletionState: "foreground" }), node("d", { owners: [ownedBy("o")] })],
    check: ["d"],
  },
  { name: "an owner that is to orphan", changes: [node("o"), node("o", { deletionState: "orphan" })], check: ["o"] },
  {
    name: "the last that held an owner goes",
    changes: [node("o", { deletionState: "foreground" }), node("d", { owners: [blocking("o")] }), "d"],
    check: ["o"],
  },
  {
    name: "the last that held an owner does so no more",
    changes: [node("o", { deletionState: "foreground" }), node("d", { owners: [blocking("o")] }), node("d", { owners: [ownedBy("o")] })],
    check: ["d", "o"],
  },
  {
    name: "an owner of the whole cluster",
    changes: [node("n", { namespace: "", ref: namespaces }), node("d", { owners: [{ ...ownedBy("n"), kind: "Namespace" }] })],
    check: [],
  },
  {
    name: "nothing that matters has changed",
    changes: [node("o", { deletionState: "foreground" }), node("o", { deletionState: "foreground" })],
    check: [],
  },
];

for (const { name, changes, check } of cases) test(name, () => assert.deepEqual([...after(...changes).check].sort(), check));

test("owners in other namespaces are reported, whichever is seen first", () => {
  const owner = node("o", { namespace: "b" });
  const dependent = node("d", { owners: [ownedBy("o")] });
  for (const changes of [
    [owner, dependent],
    [dependent, owner],
  ]) {
    const { check, misplaced } = after(...changes);
    assert.deepEqual([...check], ["d"]);
    assert.deepEqual(misplaced, [{ dependent, reference: ownedBy("o") }]);
  }
});

test("only those that say so hold an owner", () => {
  const graph = new DependencyGraph();
  graph.observe(node("d", { owners: [ownedBy("o")] }));
  graph.observe(node("e", { owners: [blocking("o")] }));
  assert.deepEqual(
    graph.blocking("o").map(({ uid }) => uid),
    ["e"],
  );
  graph.remove("e");
  graph.remove("d");
  assert.equal(graph.hasDependents("o"), false);
});
