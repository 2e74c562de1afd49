import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@coxswain/types/core-v1";
import { pod } from "../kinds/core/pod/strategy.ts";
import { createdAs, updatedAs } from "../kinds/kind-under-test.ts";

const bundle = { clusterTrustBundle: { name: "b", path: "ca.pem" } };
const withStopSignal = {
  metadata: { name: "p" },
  spec: { os: { name: "linux" }, containers: [{ name: "c", image: "i", lifecycle: { stopSignal: "SIGUSR1" } }] },
};

test("fields of features that are off are dropped from new objects", () => {
  const { object } = createdAs(pod, withStopSignal);
  assert.equal(object.spec?.containers[0]?.lifecycle, undefined);
  const volumes = [{ name: "v", projected: { sources: [bundle, { serviceAccountToken: { path: "token" } }] } }];
  const created = createdAs(pod, {
    metadata: { name: "p" },
    spec: { serviceAccountName: "a", containers: [{ name: "c", image: "i" }], volumes },
  });
  assert.deepEqual(created.object.spec?.volumes?.[0]?.projected?.sources?.[0], {});
  assert.deepEqual(created.warnings, ['volume "v" (Projected) has no sources provided']);
});

test("an object that had the field keeps it", () => {
  const plain = createdAs(pod, { ...withStopSignal, spec: { ...withStopSignal.spec, containers: [{ name: "c", image: "i" }] } }).object;
  const containers = (plain.spec?.containers ?? []).map((container) => ({ ...container, lifecycle: { stopSignal: "SIGUSR1" } }));
  const old: Pod = { ...plain, spec: { ...plain.spec, containers } };
  const { object, problems } = updatedAs(pod, old, old);
  assert.equal(object.spec?.containers[0]?.lifecycle?.stopSignal, "SIGUSR1");
  assert.deepEqual(problems, []);
});
