import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Entry, Revision } from "../storage/store.ts";
import { emptyTree, getEntry, putEntry, rank, removeEntry, slice, type Tree } from "./tree.ts";

const entry = (key: string, modified = 1): Entry => {
  const revision = modified as Revision;
  return { key, value: new Uint8Array(), created: revision, modified: revision, derived: undefined };
};
const keyOf = (n: number) => `/registry/pods/default/web-${n}`;

/** Every rule that the code relies on; returns the height. */
function checkShape(node: Tree, isRoot = true): number {
  if (node.kind === "leaf") {
    assert.ok(node.entries.length <= 32 && (isRoot || node.entries.length > 0));
    assert.equal(node.size, node.entries.length);
    return 0;
  }
  assert.ok(node.children.length <= 32 && node.children.length > (isRoot ? 1 : 0));
  assert.equal(node.bounds.length, node.children.length);
  assert.equal(
    node.size,
    node.children.reduce((sum, child) => sum + child.size, 0),
  );
  const heights = new Set(node.children.map((child) => checkShape(child, false)));
  assert.equal(heights.size, 1);
  return 1 + [...heights][0]!;
}

function checkAgainst(tree: Tree, model: ReadonlyMap<string, Entry>): void {
  checkShape(tree);
  const sorted = [...model.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  assert.deepEqual(slice(tree, 0, tree.size), sorted);
  for (const [position, { key }] of sorted.entries()) {
    assert.equal(rank(tree, key), position);
    assert.equal(getEntry(tree, key), model.get(key));
  }
}

/** Long runs of one kind, so that the tree grows to three levels and shrinks to nothing again. */
const runs = fc.array(
  fc.record({
    put: fc.boolean(),
    from: fc.integer({ min: 0, max: 3_000 }),
    step: fc.constantFrom(1, 7, 1_009),
    count: fc.integer({ min: 1, max: 1_500 }),
  }),
  { maxLength: 6 },
);

test("holds what a sorted map would, and leaves every earlier version as it was", () => {
  fc.assert(
    fc.property(runs, (todo) => {
      let tree: Tree = emptyTree;
      const model = new Map<string, Entry>();
      const versions: { tree: Tree; model: Map<string, Entry> }[] = [];
      for (const { put, from, step, count } of todo) {
        for (let i = 0; i < count; i++) {
          const key = keyOf((from + i * step) % 3_001);
          if (put) model.set(key, entry(key, i));
          else model.delete(key);
          const changed = model.get(key);
          tree = changed === undefined ? removeEntry(tree, key) : putEntry(tree, changed);
        }
        versions.push({ tree, model: new Map(model) });
      }
      for (const version of versions) checkAgainst(version.tree, version.model);
    }),
    { numRuns: 20, seed: 7 },
  );
});

test("removing everything, in any order, leaves the empty tree", () => {
  for (const step of [1, 2_999, 1_009]) {
    let tree: Tree = emptyTree;
    for (let i = 0; i < 3_000; i++) tree = putEntry(tree, entry(keyOf(i)));
    assert.equal(checkShape(tree), 2);
    for (let i = 0; i < 3_000; i++) tree = removeEntry(tree, keyOf((i * step) % 3_000));
    assert.equal(tree, emptyTree);
  }
});

test("removing what is not there changes nothing", () => {
  const tree = putEntry(emptyTree, entry("/b"));
  assert.equal(removeEntry(tree, "/a"), tree);
  assert.equal(removeEntry(emptyTree, "/a"), emptyTree);
});

test("narrow nodes merge: few entries far apart do not keep many nodes", () => {
  let tree: Tree = emptyTree;
  for (let i = 0; i < 10_000; i++) tree = putEntry(tree, entry(keyOf(i)));
  for (let i = 0; i < 10_000; i++) if (i % 100 !== 0) tree = removeEntry(tree, keyOf(i));
  const leaves = (node: Tree): number => (node.kind === "leaf" ? 1 : node.children.reduce((sum, child) => sum + leaves(child), 0));
  assert.equal(tree.size, 100);
  assert.ok(leaves(tree) < 25, `${leaves(tree)} leaves`);
});

test("reads any range by position", () => {
  let tree: Tree = emptyTree;
  for (let i = 0; i < 2_000; i++) tree = putEntry(tree, entry(String(i).padStart(4, "0")));
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 2_005 }), fc.integer({ min: -5, max: 2_005 }), (from, to) => {
      const expected = Array.from({ length: 2_000 }, (_, i) => String(i).padStart(4, "0")).slice(Math.max(0, from), Math.max(0, to));
      assert.deepEqual(
        slice(tree, from, to).map(({ key }) => key),
        expected,
      );
    }),
    { numRuns: 50, seed: 7 },
  );
});
