import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CustomResourceStats } from "@coxswain/api";
import { ManualClock } from "@coxswain/machinery";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { parseRequest } from "../request/request-info.ts";
import { inlineValidationBudget, isCostlyBody, isOffloadable, maxInlineBytes } from "./request-cost.ts";

const infoOf = (method: string, path: string): ResourceRequest => {
  const info = parseRequest(method, path, false);
  assert.equal(info.kind, "resource");
  return info as ResourceRequest;
};

const sent = (bytes: number, type: string) => ({ request: { headers: { "content-type": type } }, body: new Uint8Array(bytes) });

describe("bodies that are for another thread", () => {
  const configMaps = "/api/v1/namespaces/a/configmaps";
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const cases = [
    { name: "small JSON", path: configMaps, kib: 16, type: "application/json", costly: false },
    { name: "JSON of some size", path: configMaps, kib: 64, type: "application/json; charset=utf-8", costly: false },
    { name: "large JSON", path: configMaps, kib: 65, type: "application/json", costly: true },
    { name: "protobuf of some size", path: configMaps, kib: 64, type: "application/vnd.kubernetes.protobuf", costly: false },
    {
      name: "a strategic merge patch of some size",
      path: configMaps,
      kib: 64,
      type: "application/strategic-merge-patch+json",
      costly: false,
    },
    { name: "small YAML", path: configMaps, kib: 16, type: "application/yaml", costly: false },
    { name: "YAML of some size, which may repeat itself", path: configMaps, kib: 17, type: "application/yaml", costly: true },
    { name: "an apply, which is YAML", path: configMaps, kib: 17, type: "application/apply-patch+yaml", costly: true },
    { name: "a small definition", path: crds, kib: 16, type: "application/json", costly: false },
    { name: "a definition of some size, which may hold expressions", path: crds, kib: 17, type: "application/json", costly: true },
  ];
  for (const { name, path, kib, type, costly } of cases)
    test(name, () => assert.equal(isCostlyBody(sent(kib * 1024, type), infoOf("POST", path)), costly));
});

describe("requests that another thread may serve", () => {
  const pod = "/api/v1/namespaces/a/pods/b";
  const cases = [
    { method: "POST", path: "/api/v1/namespaces/a/pods", movable: true, limited: true },
    { method: "GET", path: pod, movable: true, limited: true },
    { method: "PATCH", path: `${pod}/status`, movable: true, limited: true },
    { method: "DELETE", path: pod, movable: true, limited: true },
    { method: "POST", path: `${pod}/eviction`, movable: true, limited: false },
    { method: "DELETE", path: "/api/v1/namespaces/a/pods", movable: true, limited: false },
    { method: "GET", path: "/api/v1/namespaces/a/pods", movable: false, limited: false },
    { method: "POST", path: `${pod}/exec`, movable: false, limited: false },
    { method: "POST", path: "/api/v1/namespaces/a/services", movable: false, limited: false },
    { method: "POST", path: "/apis/example.com/v1/namespaces/a/services", movable: true, limited: true },
  ];
  for (const { method, path, movable, limited } of cases)
    test(`${method} ${path}`, () => {
      const info = infoOf(method, path);
      assert.equal(isOffloadable(info), movable);
      assert.equal(maxInlineBytes(info) < Number.POSITIVE_INFINITY, limited);
    });
});

test("a validation budget ends with its time", () => {
  const clock = new ManualClock();
  const stats: CustomResourceStats = { settledSince: 0, terminating: false };
  const budget = inlineValidationBudget(clock, stats);
  budget.check();
  clock.advance(11);
  assert.throws(() => budget.check(), OffloadRequired);
  assert.throws(() => budget.exceeded(), OffloadRequired);
  assert.ok((stats.slowUntil ?? 0) > clock.monotonic());
});
