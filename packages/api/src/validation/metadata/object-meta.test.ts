import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError, KubeObject, ObjectMeta } from "@coxswain/machinery";
import type { NameRule } from "../../strategy/strategy.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

/** Long messages are given by their beginning. */
function assertErrors(errors: Iterable<FieldError>, expected: readonly string[]): void {
  const shown = [...errors].map((e) => `${e.field}: ${e.message}`);
  assert.deepEqual(
    shown.map((text, i) => text.slice(0, expected[i]?.length)),
    expected,
  );
}
const object = (metadata: ObjectMeta): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "ns", ...metadata },
});
const owner = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "1" };

interface Case {
  readonly name: string;
  readonly meta: ObjectMeta;
  readonly rule?: NameRule;
  readonly namespaced?: boolean;
  readonly expect: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "plain metadata is fine",
    meta: { labels: { app: "x", "example.com/a": "" }, annotations: { "Example.COM/Note": "any text" } },
    expect: [],
  },
  { name: "a name is required", meta: { name: "" }, expect: ["metadata.name: Required value: name or generateName is required"] },
  {
    name: "upper case is no subdomain",
    meta: { name: "Bad_Name" },
    expect: ['metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanum'],
  },
  { name: "dots are fine in subdomains", meta: { name: "1.example.com" }, expect: [] },
  {
    name: "dots are not in labels",
    meta: { name: "a.b" },
    rule: "dns1123Label",
    expect: ['metadata.name: Invalid value: "a.b": must not contain dots'],
  },
  { name: "RBAC names take nearly anything", meta: { name: "system:Node_x" }, rule: "pathSegment", expect: [] },
  {
    name: "but no slash",
    meta: { name: "a/b" },
    rule: "pathSegment",
    expect: [`metadata.name: Invalid value: "a/b": may not contain '/'`],
  },
  { name: "a generated name may begin with what ends in a dash", meta: { generateName: "job-", name: "job-x7k2p" }, expect: [] },
  { name: "a namespace is required", meta: { namespace: "" }, expect: ["metadata.namespace: Required value"] },
  {
    name: "and forbidden where there is none",
    meta: {},
    namespaced: false,
    expect: ["metadata.namespace: Forbidden: not allowed on this type"],
  },
  {
    name: "a namespace is a label",
    meta: { namespace: "a.b" },
    expect: ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
  },
  {
    name: "label keys and values are both checked",
    meta: { labels: { "a b": "c d" } },
    expect: [
      `metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must`,
      `metadata.labels: Invalid value: "c d": a valid label must be an empty string or consist of alphanumeric characters, '-'`,
    ],
  },
  {
    name: "a prefix is a subdomain",
    meta: { labels: { "a..b/c": "" } },
    expect: ['metadata.labels: Invalid value: "a..b/c": prefix part a lowercase RFC 1123 subdomain must consist of lower case alpha'],
  },
  {
    name: "annotations together are limited, in bytes",
    meta: { annotations: { a: "ä".repeat(128 * 1024) } },
    expect: ["metadata.annotations: Too long: may not be more than 262144 bytes"],
  },
  { name: "annotations at the limit", meta: { annotations: { a: "x".repeat(256 * 1024 - 1) } }, expect: [] },
  {
    name: "an owner has a uid",
    meta: { ownerReferences: [{ ...owner, uid: "" }] },
    expect: ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
  },
  {
    name: "an owner's version is not empty",
    meta: { ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] },
    expect: ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
  },
  {
    name: "events own nothing",
    meta: { ownerReferences: [{ ...owner, kind: "Event" }] },
    expect: [
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"c","uid":"1"}: /v1, Kind=Event is disallowed',
    ],
  },
  {
    name: "finalizers are qualified names",
    meta: { finalizers: ["a b"] },
    expect: [
      `metadata.finalizers: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must`,
      'metadata.finalizers[0]: Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified',
    ],
  },
  {
    name: "dependents are orphaned or deleted, not both",
    meta: { finalizers: ["orphan", "foregroundDeletion"] },
    expect: ['metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot'],
  },
  {
    name: "generation is not negative",
    meta: { generation: -1 },
    expect: ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
  },
];

for (const { name, meta, rule, namespaced = true, expect } of cases)
  test(name, () => assertErrors(validateObjectMeta(object(meta), { namespaced, name: rule }), expect));

test("an object has one controller", () => {
  const controllers = [
    { ...owner, controller: true },
    { ...owner, name: "d", controller: true },
  ];
  const [error] = validateObjectMeta(object({ ownerReferences: controllers }), { namespaced: true });
  assert.match(
    error?.message ?? "",
    /: Only one reference can have Controller set to true\. Found "true" in references for ConfigMap\/c and ConfigMap\/d$/,
  );
});

const old: ObjectMeta = { name: "a", namespace: "ns", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const updates = [
  { name: "nothing changed", next: {}, prev: {}, expect: [] },
  { name: "the uid stays", next: { uid: "2" }, prev: {}, expect: ['metadata.uid: Invalid value: "2": field is immutable'] },
  {
    name: "a deleting object gets no new finalizers",
    next: { finalizers: ["x.io/b", "x.io/a"], deletionTimestamp: "2026-01-02T00:00:00Z" },
    prev: { finalizers: ["x.io/b"], deletionTimestamp: "2026-01-02T00:00:00Z" },
    expect: [
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{",
    ],
  },
  {
    name: "finalizers may be added before",
    next: { finalizers: ["x.io/a"] },
    prev: {},
    expect: [],
  },
  { name: "an old name need not fit today's rule", next: { name: "Old_Name" }, prev: { name: "Old_Name" }, expect: [] },
];
for (const { name, next, prev, expect } of updates)
  test(`${name}, and every error twice`, () => {
    const errors = validateObjectMetaUpdate(object({ ...old, ...next }), object({ ...old, ...prev }), { namespaced: true });
    assertErrors(errors.slice(0, errors.length / 2), expect);
    assertErrors(errors.slice(errors.length / 2), expect);
  });

const bare = { finalizers: ["plain"], annotations: { "a/b/c": "" } };
const errorsOfPasses = [
  { passes: [], annotations: 2, domains: 0 },
  { passes: ["changes"], annotations: 3, domains: 1 },
  { passes: ["whole"], annotations: 3, domains: 1 },
  { passes: ["changes", "whole"], annotations: 4, domains: 2 },
] as const;
for (const { passes, annotations, domains } of errorsOfPasses)
  test(`each validation of the metadata returns its errors: ${passes.join(", ") || "none of the kind's own"}`, () => {
    const errors = validateObjectMetaUpdate(object({ ...old, ...bare }), object(old), { namespaced: true }, passes);
    const count = (path: string) => errors.filter(({ field }) => field.startsWith(path)).length;
    assert.deepEqual([count("metadata.annotations"), count("metadata.finalizers")], [annotations, domains]);
  });

test("a kind that looks at the whole again refuses an old name that no new object may have", () => {
  const named = object({ ...old, name: "Old_Name" });
  const errors = validateObjectMetaUpdate(named, named, { namespaced: true }, ["whole"]);
  assert.deepEqual(
    errors.map(({ field }) => field),
    ["metadata.name"],
  );
});
