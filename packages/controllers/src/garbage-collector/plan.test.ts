import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, type ObjectMeta } from "@coxswain/client";
import type { DeletionState, Node } from "./node.ts";
import { type OwnerState, planDependent } from "./plan.ts";

const dependent = (deletionState: DeletionState): Node => ({
  ref: configMaps,
  uid: "x",
  name: "x",
  namespace: "a",
  owners: [],
  deletionState,
});

const cases: { name: string; owners: Record<string, OwnerState>; meta?: ObjectMeta; dependents?: DeletionState[]; expect: object }[] = [
  { name: "it has no owner", owners: {}, expect: { do: "nothing" } },
  { name: "its owner is there", owners: { o: "solid" }, expect: { do: "nothing" } },
  { name: "its owner is not", owners: { o: "absent" }, expect: { do: "delete", propagationPolicy: "Background", unblock: false } },
  { name: "one of its owners is there", owners: { o: "absent", p: "solid", q: "waiting" }, expect: { do: "disown", uids: ["o", "q"] } },
  { name: "its owner has left it behind", owners: { o: "released" }, expect: { do: "disown", uids: ["o"] } },
  {
    name: "its own orphan finalizer stands",
    owners: { o: "absent" },
    meta: { finalizers: ["orphan"] },
    expect: { do: "delete", propagationPolicy: "Orphan", unblock: false },
  },
  {
    name: "its owner waits, and it has none of its own",
    owners: { o: "waiting" },
    expect: { do: "delete", propagationPolicy: "Background", unblock: false },
  },
  {
    name: "its owner waits, and it has dependents",
    owners: { o: "waiting" },
    dependents: ["live"],
    expect: { do: "delete", propagationPolicy: "Foreground", unblock: false },
  },
  {
    name: "its owner waits, and so does a dependent: a circle",
    owners: { o: "waiting" },
    dependents: ["foreground"],
    expect: { do: "delete", propagationPolicy: "Foreground", unblock: true },
  },
];

for (const { name, owners, meta = {}, dependents = [], expect } of cases)
  test(name, () => {
    const classified = Object.entries(owners).map(([uid, state]) => ({
      reference: { apiVersion: "v1", kind: "ConfigMap", name: uid, uid },
      state,
    }));
    assert.deepEqual(planDependent(classified, meta, dependents.map(dependent)), expect);
  });
