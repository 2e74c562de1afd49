import assert from "node:assert/strict";
import { test } from "node:test";
import { isConflict } from "@coxswain/machinery";
import fc from "fast-check";
import { withoutUntracked } from "../field-path/field-filter.ts";
import {
  difference,
  differenceWithin,
  type FieldSet,
  intersection,
  isEmptySet,
  noFields,
  sameFields,
  union,
} from "../field-path/field-set.ts";
import { mergeSchemaOf } from "../schema/merge-schema.ts";
import { fieldsOf } from "../typed/fields-of.ts";
import { Story, thing, thingType } from "./apply-fixture.test.ts";

const schema = mergeSchemaOf(thingType);
const number = fc.integer({ min: 0, max: 2 });
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(shape, { requiredKeys: [] });
const unique = <T, K>(item: fc.Arbitrary<T>, key: (item: T) => K) => fc.uniqueArray(item, { selector: key, maxLength: 3 });

/** Parts of a thing whose keys are these words. */
function partsOf(...words: string[]) {
  const word = fc.constantFrom(...words);
  const port = fc.record({ port: number, protocol: fc.constantFrom("TCP", "UDP"), label: word }, { requiredKeys: ["port"] });
  const ports = unique(port, (p) => `${p.port}${p.protocol ?? "TCP"}`);
  const container = fc.record({ name: word, image: word, ports }, { requiredKeys: ["name"] });
  const metadata = { name: fc.constant("t"), finalizers: fc.uniqueArray(word), labels: fc.dictionary(word, word) };
  const keyed = {
    containers: unique(container, (c) => c.name),
    anything: fc.dictionary(word, fc.oneof(word, fc.dictionary(word, number))),
  };
  const single = {
    replicas: number,
    args: fc.array(word, { maxLength: 2 }),
    selector: fc.record({ matchLabels: fc.dictionary(word, word) }),
  };
  const make = (spec: Record<string, fc.Arbitrary<unknown>>) =>
    some({ data: fc.dictionary(word, word), metadata: fc.record(metadata, { requiredKeys: ["name"] }), spec: some(spec) });
  return { all: make({ ...keyed, ...single }), keyed: make(keyed) };
}

const parts = partsOf("a", "b", "c").all;

/** Emptiness is a value of its own, which goes when something comes in. */
function solid<T>(value: T): T {
  if (Array.isArray(value)) return value.map(solid) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, solid(entry)] as const);
  return Object.fromEntries(entries.filter(([, entry]) => typeof entry !== "object" || Object.keys(entry).length > 0)) as T;
}

const law = (name: string, run: () => void) => test(name, run);
const runs = { numRuns: 300 };
const fieldsIn = (object: unknown): FieldSet => withoutUntracked(fieldsOf(schema, object));
const ownedBy = (story: Story, manager: string): FieldSet =>
  story.managed.managers.filter((entry) => entry.manager === manager).reduce((set, entry) => union(set, entry.fields), noFields);

law("applying the same again changes nothing", () =>
  fc.assert(
    fc.property(parts, parts, (live, config) => {
      const once = new Story().update("one", live).apply("two", config, { force: true });
      const { object, managed } = once;
      const twice = once.apply("two", config);
      assert.deepEqual(twice.object, object);
      assert.deepEqual(twice.managed, managed);
    }),
    runs,
  ),
);

law("managers with disjoint fields never conflict and commute", () =>
  fc.assert(
    fc.property(partsOf("a", "b", "c").all, partsOf("d", "e", "f").keyed, (a, b) => {
      const first = new Story().apply("one", a).apply("two", b);
      const second = new Story().apply("two", b).apply("one", a);
      for (const manager of ["one", "two"]) assert.ok(sameFields(ownedBy(first, manager), ownedBy(second, manager)));
      assert.ok(sameFields(fieldsIn(first.object), fieldsIn(second.object)));
    }),
    runs,
  ),
);

law("an apply takes away no field that its manager neither sets nor owned", () =>
  fc.assert(
    fc.property(parts, parts, parts, (a, b, c) => {
      const [live, before, after] = [solid(a), solid(b), solid(c)];
      const story = new Story().update("one", live).apply("two", before, { force: true });
      const previous = fieldsIn(story.object);
      const touched = union(ownedBy(story, "two"), fieldsIn(thing(after)));
      story.apply("two", after, { force: true });
      // What comes in another form takes the place of what was in it.
      assert.ok(isEmptySet(differenceWithin(difference(previous, fieldsIn(story.object)), touched)));
    }),
    runs,
  ),
);

law("what a manager applied is what it owns, and is in the object as applied", () =>
  fc.assert(
    fc.property(parts, parts, (live, config) => {
      const story = new Story().update("one", live).apply("two", config, { force: true });
      assert.ok(sameFields(ownedBy(story, "two"), fieldsIn(thing(config))));
      assert.ok(isEmptySet(difference(ownedBy(story, "two"), union(fieldsIn(story.object), fieldsIn(thing(config))))));
    }),
    runs,
  ),
);

law("after any updates every field has exactly one owner", () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("one", "two", "three"), parts), { minLength: 1, maxLength: 5 }), (writes) => {
      const story = new Story();
      for (const [manager, object] of writes) story.update(manager, object);
      // Parents that a later write did not create have no manager, so only leaves must have an owner.
      const all = story.managed.managers.reduce((set, entry) => union(set, entry.fields), noFields);
      for (const a of story.managed.managers)
        for (const b of story.managed.managers) if (a !== b) assert.ok(isEmptySet(intersection(a.fields, b.fields)));
      const replicas = (story.object.spec as { replicas?: number } | undefined)?.replicas;
      if (replicas !== undefined && all !== noFields) assert.ok(!isEmptySet(intersection(all, fieldsIn({ spec: { replicas } }))));
    }),
    runs,
  ),
);

law("a refused apply is a conflict, and force makes it succeed", () =>
  fc.assert(
    fc.property(parts, parts, (live, config) => {
      const story = new Story().update("one", live);
      try {
        new Story().update("one", live).apply("two", config);
      } catch (error) {
        assert.ok(isConflict(error));
      }
      story.apply("two", config, { force: true });
    }),
    runs,
  ),
);
