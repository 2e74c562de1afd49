/** JSON patch against an implementation that changes the document in place, as simply as can be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StatusError } from "../errors/status.ts";
import { deepEqual } from "../values/equal.ts";
import { applyJsonPatch } from "./json-patch.ts";

const keys = fc.constantFrom("a", "b", "c", "0", "1", "-", "-1", "x~y", "p/q", "__proto__");
const documents = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(1, "s", null, true), fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
}));
const pointer = fc
  .array(keys, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
const operations = fc.array(
  fc.record({
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
    path: pointer,
    from: pointer,
    value: documents.value,
  }),
  { minLength: 1, maxLength: 4 },
);

test("does what a plain mutable implementation does", () =>
  fc.assert(
    fc.property(documents.object, operations, (object, patch) => {
      const before = JSON.stringify(object);
      const expected = attempt(() => patchInPlace(structuredClone(object), structuredClone(patch)));
      const actual = attempt(() => applyJsonPatch(frozen(object), frozen(patch)));
      assert.ok(deepEqual(actual, expected), `${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
      assert.equal(JSON.stringify(object), before);
    }),
    { numRuns: 1000 },
  ));

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function attempt(patch: () => unknown): unknown {
  try {
    return { patched: patch() };
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) assert.equal((error as StatusError).code, 422, String(error));
    return "refused";
  }
}

type Operation = Readonly<{ op: string; path: string; from: string; value: unknown }>;

function patchInPlace(root: unknown, patch: readonly Operation[]): unknown {
  for (const { op, path, from, value } of patch) {
    const there = at(root, op === "move" || op === "copy" ? from : path);
    if (op === "add" || op === "replace") at(root, path)[op](value);
    else if (op === "remove") there.remove();
    else if (op === "move") {
      const moved = there.get();
      there.remove();
      at(root, path).add(moved);
    } else if (op === "copy") at(root, path).add(structuredClone(there.get() ?? null));
    else assert.ok(deepEqual(there.get() ?? null, value));
  }
  return root;
}

interface Place {
  get(): unknown;
  add(value: unknown): void;
  replace(value: unknown): void;
  remove(): void;
}

function at(root: unknown, path: string): Place {
  const parts = path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = parts.pop()!;
  let parent = root;
  for (const part of parts) parent = placeIn(parent, part).get();
  return placeIn(parent, key);
}

function placeIn(parent: unknown, key: string): Place {
  assert.ok(typeof parent === "object" && parent !== null);
  if (!Array.isArray(parent)) {
    const object = parent as Record<string, unknown>;
    const put = (value: unknown): unknown =>
      Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
    return {
      get: () => Object.getOwnPropertyDescriptor(object, key)?.value,
      add: put,
      replace: put,
      remove: () => {
        assert.ok(Object.hasOwn(object, key));
        delete object[key];
      },
    };
  }
  const index = (length: number): number => {
    const i = key.startsWith("-") ? Number(key) + length : Number(key);
    assert.ok(i >= 0 && i < length);
    return i;
  };
  return {
    get: () => parent[index(parent.length)],
    add: (value) => parent.splice(key === "-" ? parent.length : index(parent.length + 1), 0, value),
    replace: (value) => {
      parent[index(parent.length)] = value;
    },
    remove: () => parent.splice(index(parent.length), 1),
  };
}
