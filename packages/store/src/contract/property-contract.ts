import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { Revision, Store, Write } from "../storage/store.ts";
import { manualClock } from "./manual-clock.ts";
import { assertSameHistory, assertSameResult, bytesOf, Model, type PlainEvent, plainEvent } from "./model.ts";
import type { DriverTraits, OpenStore } from "./store-contract.ts";

/** A step of a random history; numbers are reduced to what exists when the step is taken. */
export type Step =
  | {
      readonly do: "put" | "delete";
      readonly key: string;
      readonly value: string;
      readonly stale: number;
      readonly other?: string | undefined;
      /** Changed with it, or, with `ends`, deleted. */
      readonly also?: string | undefined;
      readonly ends: boolean;
    }
  | { readonly do: "compact"; readonly back: number }
  | { readonly do: "subscribe"; readonly prefix: string; readonly back: number };

export const prefixes = ["", "/r/", "/r/a", "/r/a/", "/s/1"];

const key = fc.tuple(fc.constantFrom("/r/a/", "/r/ab/", "/s/"), fc.integer({ min: 0, max: 60 })).map(([folder, n]) => `${folder}${n}`);
const back = fc.integer({ min: 0, max: 30 });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({
        do: fc.constantFrom("put" as const, "put" as const, "delete" as const),
        key,
        value: fc.string({ maxLength: 8 }),
        stale: fc.integer({ min: 0, max: 5 }),
        other: fc.option(key, { nil: undefined, freq: 3 }),
        also: fc.option(key, { nil: undefined, freq: 3 }),
        ends: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), back }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("subscribe" as const), prefix: fc.constantFrom(...prefixes), back }) },
  ),
  { maxLength: 250, size: "max" },
);

/** Mostly the write that fits what is there, sometimes (`stale`) one that does not. */
function writeOf({ do: op, key, value, stale, other, also, ends }: Extract<Step, { do: "put" | "delete" }>, model: Model): Write {
  const actual = model.at(model.revision).get(key)?.modified;
  const expect = ((actual ?? 0) + (stale === 0 ? 1 : 0)) as Revision;
  const modifiedOf = (one: string) => model.at(model.revision).get(one)?.modified as Revision | undefined;
  const absent: Revision | "absent" = stale === 1 ? (2 as Revision) : "absent";
  const compare = other === undefined ? {} : { compare: [{ key: other, modified: modifiedOf(other) ?? absent }] };
  const more =
    also === undefined || also === key
      ? {}
      : {
          also: [
            ends
              ? { key: also, expect: modifiedOf(also) ?? (2 as Revision) }
              : { key: also, value: bytesOf(`${value}+`), expect: modifiedOf(also) ?? absent },
          ],
        };
  if (op === "delete") return { op, key, expect, ...compare, ...more };
  return { op, key, value: bytesOf(value), expect: actual === undefined && stale > 0 ? "absent" : expect, ...compare, ...more };
}

/** Takes the steps in the store and in the model, a few writes at once, and compares every answer and event on the way. */
export async function takeSteps(store: Store, model: Model, todo: readonly Step[], atOnce = 7): Promise<void> {
  const watches: { prefix: string; after: number; seen: PlainEvent[] }[] = [];
  let writes: Promise<void>[] = [];
  for (const step of todo) {
    if (step.do === "put" || step.do === "delete") {
      const op = writeOf(step, model);
      const expected = model.write(op);
      writes.push(store.write(op).then((result) => assertSameResult(result, expected)));
      if (writes.length < atOnce) continue;
    }
    await Promise.all(writes);
    writes = [];
    if (step.do === "compact") {
      model.compacted = Math.max(model.compacted, model.revision - step.back);
      await store.compact(model.compacted as Revision);
    } else if (step.do === "subscribe") {
      const after = Math.max(model.compacted, model.revision - step.back);
      const seen: PlainEvent[] = [];
      watches.push({ prefix: step.prefix, after, seen });
      store.subscribe(step.prefix, { after: after as Revision }, ({ events }) => seen.push(...events.map(plainEvent)));
    }
  }
  await Promise.all(writes);
  for (const { prefix, after, seen } of watches) assert.deepEqual(seen, model.eventsAfter(after, prefix));
}

export function propertyContract(
  driver: string,
  open: OpenStore,
  { runs, decidesInOrder, revisionPerEntry }: Required<DriverTraits>,
): void {
  // What changes several entries in one revision has no states between, which the model knows.
  const alone = (step: Step): Step =>
    (step.do === "put" || step.do === "delete") && !revisionPerEntry ? { ...step, also: undefined } : step;
  suite(`${driver}: any history`, () => {
    test("reads as a plain model does: writes, every kept revision, pages, events, compaction", async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 40 }), async (todo, pageSize) => {
          await using store = await open({ clock: manualClock() });
          const model = new Model(store.revision);
          await takeSteps(store, model, todo.map(alone), decidesInOrder ? 7 : 1);
          await assertSameHistory(store, model, prefixes, pageSize);
        }),
        { numRuns: runs, seed: 42 },
      );
    });
  });
}
