import assert from "node:assert/strict";
import { test } from "node:test";
import type { apiextensionsV1 } from "@coxswain/api";
import { contentionOf } from "./contended-names.ts";

type Crd = apiextensionsV1.CustomResourceDefinition;

const crd = (plural: string, { group = "example.com", shortNames = ["w"], kind = plural, accepted = true } = {}): Crd => {
  const names = { plural, kind, shortNames };
  const status = accepted ? { acceptedNames: names, conditions: [], storedVersions: [] } : undefined;
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope: "Namespaced", versions: [] },
    ...(status && { status }),
  } as Crd;
};

const next = crd("apples");
const cases = [
  { name: "one that asks for the same short name is a rival", before: undefined, other: crd("pears", { accepted: false }), rivals: 1 },
  { name: "one that has the name has taken it", before: undefined, other: crd("pears"), rivals: 1, taken: "w" },
  {
    name: "one that asks for other names is none",
    before: undefined,
    other: crd("pears", { shortNames: ["p"], accepted: false }),
    rivals: 0,
  },
  { name: "one of another group is none", before: undefined, other: crd("pears", { group: "example.org" }), rivals: 0 },
  {
    name: "one that asks for the same kind is a rival",
    before: undefined,
    other: crd("pears", { shortNames: [], kind: "apples", accepted: false }),
    rivals: 1,
  },
  { name: "names that it had before are its own", before: next, other: crd("pears"), rivals: 0 },
  { name: "it is no rival of its own", before: undefined, other: crd("apples"), rivals: 0 },
];
for (const { name, before, other, rivals, taken } of cases)
  test(`of two definitions, ${name}`, () => {
    const found = contentionOf(before, next, [other]);
    assert.deepEqual([found.rivals.length, found.taken], [rivals, taken]);
  });

test("a resource and a kind of the same name are apart", () => {
  const other = crd("w2", { shortNames: [], kind: "w", accepted: false });
  assert.equal(contentionOf(undefined, crd("apples", { kind: "Apple" }), [other]).rivals.length, 0);
});
