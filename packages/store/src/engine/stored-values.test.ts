import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf } from "../contract/model.ts";
import type { Entry, Revision } from "../storage/store.ts";
import type { ValueTransformer } from "../storage/value-transformer.ts";
import { StoredValues } from "./stored-values.ts";

const revision = 1 as Revision;
const entryOf = (value: string): Entry => ({
  ...{ key: "/registry/a", value: bytesOf(value), created: revision, modified: revision, derived: undefined },
});
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Reads `old:x` and `k8s:enc:x` as `x`. */
const transformer = {
  generation: 0,
  checkWrite() {},
  toStorage: (_key: string, value: Uint8Array) => value,
} satisfies Partial<ValueTransformer>;
const values = (): { readonly values: StoredValues; change(): void } => {
  const current = {
    ...transformer,
    fromStorage(_key: string, stored: Uint8Array) {
      const text = textOf(stored);
      const [, value] = /^(?:old|k8s:enc):(.*)$/.exec(text) ?? [];
      return value === undefined ? { value: stored, stale: false } : { value: bytesOf(value), stale: text.startsWith("old:") };
    },
  };
  return { values: new StoredValues(current), change: () => void current.generation++ };
};

const cases = [
  { name: "a value in a form that is written no more is kept once, and is stale", stored: "old:x", kept: "x", stale: true },
  {
    name: "an encrypted value is kept beside the value, for it may have to be read again",
    stored: "k8s:enc:x",
    kept: "k8s:enc:x",
    stale: false,
  },
  { name: "a value in the form that is written is kept once", stored: "x", kept: "x", stale: false },
];
for (const { name, stored, kept, stale } of cases)
  test(name, async () => {
    const { values: tested, change } = values();
    const entry = tested.load(entryOf(stored));
    const seen = () => [textOf(entry.value), textOf(tested.storedOf(entry)), tested.isStale(entry)];
    assert.deepEqual(seen(), ["x", kept, stale]);
    change();
    await tested.check(entry);
    assert.deepEqual(seen(), ["x", kept, stale]);
  });
