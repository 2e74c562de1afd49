import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectName } from "@coxswain/machinery";
import fc from "fast-check";
import { involvedObjects } from "./involved-objects.ts";

const named = (i: number): ObjectName => ({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", name: String(i) });
const turn = async (): Promise<void> => undefined;

test("what is left breaks it, and nothing of it can be spared", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(9), { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 40 }), async (values, maxSum) => {
      const objects = values.map((_, i) => named(i));
      const sumWithout = (gone: ReadonlySet<ObjectName>): number =>
        values.reduce((sum, value, i) => sum + (gone.has(objects[i] as ObjectName) ? 0 : value), 0);
      fc.pre(sumWithout(new Set()) > maxSum);
      const written = objects.at(-1);
      const holdsWithout = async (gone: ReadonlySet<ObjectName>): Promise<boolean> => sumWithout(gone) <= maxSum;
      const left = await involvedObjects({ objects, holdsWithout }, (object) => object === written, turn);
      assert.ok(left !== undefined);
      const gone = new Set(objects.filter((object) => object !== written && !left.includes(object)));
      assert.equal(await holdsWithout(gone), false);
      for (const one of left) assert.equal(await holdsWithout(new Set([...gone, one])), true);
    }),
  );
});

test("two of a thousand are found in few evaluations", async () => {
  const objects = Array.from({ length: 1_000 }, (_, i) => named(i));
  let evaluations = 0;
  const holdsWithout = async (gone: ReadonlySet<ObjectName>): Promise<boolean> => {
    evaluations++;
    return gone.has(objects[123] as ObjectName) || gone.has(objects[800] as ObjectName);
  };
  const left = await involvedObjects({ objects, holdsWithout }, ({ name }) => name === "999", turn);
  assert.deepEqual(
    left?.map(({ name }) => name),
    ["123", "800"],
  );
  assert.ok(evaluations < 60, `${evaluations} evaluations`);
});

test("what would take too many is not looked for", async () => {
  const objects = Array.from({ length: 1_000 }, (_, i) => named(i));
  assert.equal(await involvedObjects({ objects, holdsWithout: async () => true }, () => false, turn), undefined);
});
