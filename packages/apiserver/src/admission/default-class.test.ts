import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { admitted } from "./plugin-under-test.ts";

interface Class {
  readonly name: string;
  readonly made?: string;
  readonly mark?: Readonly<Record<string, string>>;
}

const storageMark = { "storageclass.kubernetes.io/is-default-class": "true" };
const betaMark = { "storageclass.beta.kubernetes.io/is-default-class": "true" };
const ingressMark = { "ingressclass.kubernetes.io/is-default-class": "true" };

const classOf =
  (apiVersion: string, kind: string) =>
  ({ name, made = "2026-01-01T00:00:00Z", mark }: Class): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, creationTimestamp: made, ...(mark === undefined ? {} : { annotations: mark }) },
  });

interface Case {
  readonly name: string;
  readonly classes: readonly Class[];
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly expect: string | undefined;
}

const claims: readonly Case[] = [
  { name: "no class is the default", classes: [{ name: "a" }], expect: undefined },
  { name: "one class is the default", classes: [{ name: "a" }, { name: "b", mark: storageMark }], expect: "b" },
  { name: "the mark is the one of before", classes: [{ name: "b", mark: betaMark }], expect: "b" },
  {
    name: "of two defaults, the newer one counts",
    classes: [
      { name: "a", made: "2026-01-01T00:00:00Z", mark: storageMark },
      { name: "b", made: "2026-01-01T00:00:01Z", mark: storageMark },
    ],
    expect: "b",
  },
  {
    name: "of two defaults of one second, the first by name counts",
    classes: [
      { name: "b", mark: storageMark },
      { name: "a", mark: storageMark },
    ],
    expect: "a",
  },
  { name: "the claim names a class", classes: [{ name: "b", mark: storageMark }], spec: { storageClassName: "own" }, expect: "own" },
  { name: "the claim wants none", classes: [{ name: "b", mark: storageMark }], spec: { storageClassName: "" }, expect: "" },
  {
    name: "the claim names its class in the annotation",
    classes: [{ name: "b", mark: storageMark }],
    annotations: { "volume.beta.kubernetes.io/storage-class": "own" },
    expect: undefined,
  },
];
for (const { name, classes, spec = {}, annotations = {}, expect } of claims)
  test(`a claim's class: ${name}`, async () => {
    const object = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c", namespace: "n", annotations }, spec };
    const stored = classes.map(classOf("storage.k8s.io/v1", "StorageClass"));
    const found = await admitted(defaultStorageClass, { object, stored });
    assert.ok(typeof found === "object");
    assert.equal((found.spec as { storageClassName?: string }).storageClassName, expect);
  });

test("a claim that is changed keeps to be without a class", async () => {
  const object = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c", namespace: "n" }, spec: {} };
  const stored = [{ name: "b", mark: storageMark }].map(classOf("storage.k8s.io/v1", "StorageClass"));
  assert.deepEqual(await admitted(defaultStorageClass, { object, previous: object, stored }), object);
});

const ingresses: readonly Case[] = [
  { name: "no class is the default", classes: [{ name: "a" }], expect: undefined },
  {
    name: "of two defaults, the newer one counts",
    classes: [
      { name: "a", made: "2026-01-01T00:00:00Z", mark: ingressMark },
      { name: "b", made: "2026-01-01T00:00:01Z", mark: ingressMark },
    ],
    expect: "b",
  },
  { name: "the Ingress names a class", classes: [{ name: "b", mark: ingressMark }], spec: { ingressClassName: "own" }, expect: "own" },
  {
    name: "the Ingress names its class in the annotation",
    classes: [{ name: "b", mark: ingressMark }],
    annotations: { "kubernetes.io/ingress.class": "own" },
    expect: undefined,
  },
];
for (const { name, classes, spec = {}, annotations = {}, expect } of ingresses)
  test(`an Ingress's class: ${name}`, async () => {
    const object = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "i", namespace: "n", annotations }, spec };
    const stored = classes.map(classOf("networking.k8s.io/v1", "IngressClass"));
    const found = await admitted(defaultIngressClass, { object, stored });
    assert.ok(typeof found === "object");
    assert.equal((found.spec as { ingressClassName?: string }).ingressClassName, expect);
  });
