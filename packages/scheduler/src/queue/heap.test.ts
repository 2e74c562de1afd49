import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Heap } from "./heap.ts";

interface Item {
  heapAt: number;
  rank: number;
}

test("gives what is in it in order, whatever was moved or taken out", () => {
  const step = fc.record({ do: fc.constantFrom("push", "pop", "move", "delete"), at: fc.nat(30), rank: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const heap = new Heap<Item>((a, b) => a.rank < b.rank);
      const items: Item[] = [];
      const ranks = (): number[] => items.map(({ rank }) => rank).sort((a, b) => a - b);
      for (const { do: what, at, rank } of steps) {
        const item = items[at % Math.max(1, items.length)];
        if (what === "push") {
          const added = { heapAt: -1, rank };
          items.push(added);
          heap.push(added);
        } else if (what === "pop") {
          const first = heap.pop();
          assert.equal(first?.rank, ranks()[0]);
          if (first !== undefined) items.splice(items.indexOf(first), 1);
        } else if (item !== undefined && what === "move") {
          item.rank = rank;
          heap.moved(item);
        } else if (item !== undefined) {
          heap.delete(item);
          assert.equal(item.heapAt, -1);
          items.splice(items.indexOf(item), 1);
        }
        assert.equal(heap.size, items.length);
      }
      const rest = ranks();
      assert.deepEqual(
        rest.map(() => heap.pop()?.rank),
        rest,
      );
    }),
  );
});
