import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ArrayList, concatLists, EntriesMap, entriesOf, insertInto, mapKey } from "./collections.ts";
import { type CelList, type CelMap, CelUint, type CelValue } from "./value.ts";

const ints = fc.array(fc.bigInt({ min: 0n, max: 9n }), { maxLength: 4 });

test("joining lists is joining arrays, and no list sees what another one gains", () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), ints), { maxLength: 40 }), (steps) => {
      const lists: { list: CelList; items: readonly bigint[] }[] = [{ list: new ArrayList([]), items: [] }];
      for (const [pick, added] of steps) {
        const from = lists[pick % lists.length]!;
        lists.push({ list: concatLists(from.list, new ArrayList([...added])), items: [...from.items, ...added] });
      }
      for (const { list, items } of lists) assert.deepEqual([...list], items);
    }),
  ));

test("a map gains entries, and no map sees what another one gains", () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(20)), { maxLength: 40 }), (steps) => {
      const maps: { map: CelMap; entries: ReadonlyMap<string, CelValue> }[] = [{ map: EntriesMap.of([]), entries: new Map() }];
      for (const [pick, key] of steps) {
        const from = maps[pick % maps.length]!;
        const name = String(key);
        if (from.entries.has(name))
          assert.throws(() => insertInto(from.map, name, true), { message: `insert failed: key ${name} already exists` });
        else maps.push({ map: insertInto(from.map, name, true), entries: new Map(from.entries).set(name, true) });
      }
      for (const { map, entries } of maps) assert.deepEqual([...entriesOf(map)], [...entries]);
    }),
  ));

test("equal numbers are the same key", () => {
  assert.equal(mapKey(1n), 1n);
  assert.equal(mapKey(new CelUint(1n)), 1n);
  assert.equal(mapKey(1), 1n);
  assert.equal(mapKey(Number.NaN), undefined);
});
