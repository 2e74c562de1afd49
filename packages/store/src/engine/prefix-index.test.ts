import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PrefixIndex } from "./prefix-index.ts";

const text = fc.string({ unit: fc.constantFrom("/", "a", "b"), maxLength: 6 });
const step = fc.record({ add: fc.boolean(), prefix: text });

test("finds exactly the registered prefixes of a key, the shortest first", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(text), (todo, keys) => {
      const index = new PrefixIndex<{ prefix: string }>();
      const model = new Set<string>();
      for (const { add, prefix } of todo) {
        if (add) assert.equal(index.obtain(prefix, () => ({ prefix })).prefix, prefix);
        else index.remove(prefix);
        if (add) model.add(prefix);
        else model.delete(prefix);
      }
      for (const key of keys) {
        const found: string[] = [];
        index.forEachPrefixOf(key, ({ prefix }) => found.push(prefix));
        assert.deepEqual(
          found,
          [...model].filter((prefix) => key.startsWith(prefix)).sort((a, b) => a.length - b.length),
        );
      }
    }),
    { numRuns: 300, seed: 7 },
  );
});

test("keeps one value for a prefix until it is removed", () => {
  const index = new PrefixIndex<object>();
  const first = index.obtain("/a/", () => ({}));
  assert.equal(
    index.obtain("/a/", () => ({})),
    first,
  );
  index.remove("/a/");
  assert.notEqual(
    index.obtain("/a/", () => ({})),
    first,
  );
});
