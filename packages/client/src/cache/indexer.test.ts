import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { Indexer } from "./indexer.ts";
import { byController, byLabel, byOwner } from "./indexes.ts";

const owner = (uid: string, controller: boolean) => ({ apiVersion: "v1", kind: "Item", name: uid, uid, controller });
const objects: readonly KubeObject[] = [
  { metadata: { namespace: "x", name: "a", labels: { app: "web", tier: "1" }, ownerReferences: [owner("u1", true), owner("u2", false)] } },
  { metadata: { namespace: "x", name: "b", labels: { app: "db" }, ownerReferences: [owner("u2", true)] } },
  { metadata: { namespace: "y", name: "a", labels: { app: "web" } } },
  { metadata: { name: "a" } },
];
const names = (found: readonly KubeObject[]) => found.map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name}`);

function filled(): Indexer<KubeObject> {
  const table = new Indexer<KubeObject>("x");
  table.addIndexes({ byOwner });
  for (const object of objects) table.put(object);
  table.addIndexes({ byController, app: byLabel("app") });
  return table;
}

const cases: readonly {
  readonly name: string;
  readonly of: (table: Indexer<KubeObject>) => readonly KubeObject[];
  readonly expect: readonly string[];
}[] = [
  { name: "all", of: (t) => t.list(), expect: ["x/a", "x/b", "y/a", "/a"] },
  { name: "of a namespace", of: (t) => t.list({ namespace: "x" }), expect: ["x/a", "x/b"] },
  { name: "of a namespace without any", of: (t) => t.list({ namespace: "z" }), expect: [] },
  { name: "of no namespace", of: (t) => t.list({ namespace: "" }), expect: ["/a"] },
  { name: "by labels", of: (t) => t.list({ labelSelector: "app=web" }), expect: ["x/a", "y/a"] },
  { name: "by labels in a namespace", of: (t) => t.list({ labelSelector: "app in (web, db),!tier", namespace: "x" }), expect: ["x/b"] },
  { name: "by owner", of: (t) => t.byIndex("byOwner", "u2"), expect: ["x/a", "x/b"] },
  { name: "by controller, an index that came later", of: (t) => t.byIndex("byController", "u2"), expect: ["x/b"] },
  { name: "by a value that nothing has", of: (t) => t.byIndex("app", "cache"), expect: [] },
];
for (const { name, of, expect } of cases) test(name, () => assert.deepEqual(names(of(filled())), expect));

test("one object, in the namespace that is meant without one", () => {
  const table = filled();
  assert.equal(table.get({ name: "a" }), objects[0]);
  assert.equal(table.get({ namespace: "y", name: "a" }), objects[2]);
  assert.equal(table.get({ namespace: "", name: "a" }), objects[3]);
  assert.equal(table.get({ namespace: "y", name: "constructor" }), undefined);
});

test("indexes follow changes and removals", () => {
  const table = filled();
  table.put({ metadata: { namespace: "x", name: "a", labels: { app: "db" } } });
  assert.deepEqual(names(table.byIndex("app", "web")), ["y/a"]);
  assert.deepEqual(names(table.byIndex("app", "db")), ["x/b", "x/a"]);
  assert.deepEqual(names(table.byIndex("byOwner", "u2")), ["x/b"]);
  table.remove({ namespace: "x", name: "b" });
  assert.deepEqual(names(table.byIndex("byOwner", "u2")), []);
  assert.equal(table.size, 3);
});

test("an index is known by its name, and a name stands for one function", () => {
  const table = filled();
  table.addIndexes({ byOwner });
  assert.throws(() => table.addIndexes({ byOwner: byController }), /there is another index "byOwner"/);
  assert.throws(() => table.byIndex("owner", "u1"), /there is no index "owner"/);
});
