import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CustomResourceStats } from "@coxswain/api";
import { ManualClock } from "@coxswain/machinery";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { parseRequest } from "../request/request-info.ts";
import { isHeavy, isMovable, mostBytesOf, shortPatience, TooHeavy } from "./request-cost.ts";

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
    { name: "small JSON", path: configMaps, kib: 16, type: "application/json", heavy: false },
    { name: "JSON of some size", path: configMaps, kib: 64, type: "application/json; charset=utf-8", heavy: false },
    { name: "large JSON", path: configMaps, kib: 65, type: "application/json", heavy: true },
    { name: "protobuf of some size", path: configMaps, kib: 64, type: "application/vnd.kubernetes.protobuf", heavy: false },
    {
      name: "a strategic merge patch of some size",
      path: configMaps,
      kib: 64,
      type: "application/strategic-merge-patch+json",
      heavy: false,
    },
    { name: "small YAML", path: configMaps, kib: 16, type: "application/yaml", heavy: false },
    { name: "YAML of some size, which may repeat itself", path: configMaps, kib: 17, type: "application/yaml", heavy: true },
    { name: "an apply, which is YAML", path: configMaps, kib: 17, type: "application/apply-patch+yaml", heavy: true },
    { name: "a small definition", path: crds, kib: 16, type: "application/json", heavy: false },
    { name: "a definition of some size, which may hold expressions", path: crds, kib: 17, type: "application/json", heavy: true },
  ];
  for (const { name, path, kib, type, heavy } of cases)
    test(name, () => assert.equal(isHeavy(sent(kib * 1024, type), infoOf("POST", path)), heavy));
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
      assert.equal(isMovable(info), movable);
      assert.equal(mostBytesOf(info) < Number.POSITIVE_INFINITY, limited);
    });
});

test("patience ends with its time", () => {
  const clock = new ManualClock();
  const stats: CustomResourceStats = { settledSince: 0, terminating: false };
  const patience = shortPatience(clock, stats);
  patience.check();
  clock.advance(11);
  assert.throws(() => patience.check(), TooHeavy);
  assert.throws(() => patience.exceeded(), TooHeavy);
  assert.ok((stats.slowUntil ?? 0) > clock.monotonic());
});
