import assert from "node:assert/strict";
import { test } from "node:test";
import type { APIService } from "@coxswain/types/apiregistration-v1";
import { createdAs } from "../../kind-under-test.ts";
import { apiService } from "./strategy.ts";

const body = (spec: object) => ({
  metadata: { name: "v1.example.com", labels: { a: "b" } },
  spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, ...spec },
});
const service = { name: "s", namespace: "n" };

const cases = [
  { name: "a local one is fine, and available", spec: {}, expect: [], available: "True" },
  { name: "one behind a Service is to be found available", spec: { service }, expect: [], available: undefined },
  {
    name: "what is local needs no trust",
    spec: { caBundle: "AAAA", insecureSkipTLSVerify: true },
    expect: [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ],
    available: "True",
  },
  {
    name: "caBundle and insecureSkipTLSVerify exclude each other",
    spec: { service, caBundle: "AAAA", insecureSkipTLSVerify: true },
    expect: ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"],
    available: undefined,
  },
];
for (const { name, spec, expect, available } of cases)
  test(name, () => {
    const { object, problems } = createdAs<APIService>(apiService, body(spec));
    assert.deepEqual(problems, expect);
    assert.equal(object.status?.conditions?.[0]?.status, available);
  });

test("a write to the status keeps labels as they are", () => {
  const { object: prev } = createdAs<APIService>(apiService, body({ service }));
  const next: APIService = structuredClone({ ...prev, metadata: { ...prev.metadata, labels: { c: "d" }, annotations: { e: "f" } } });
  apiService.subresources?.status?.prepareForUpdate?.(next, prev);
  assert.deepEqual(next.metadata, { name: "v1.example.com", labels: { a: "b" } });
});
