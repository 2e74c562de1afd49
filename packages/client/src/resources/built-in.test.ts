import assert from "node:assert/strict";
import { test } from "node:test";
import * as builtIn from "./built-in.ts";

test("each is named after its kind, the other groups' and versions' with the version behind it", () => {
  const {
    endpoints,
    csiStorageCapacities,
    networkPolicies,
    serviceCIDRs,
    events,
    eventsV1,
    horizontalPodAutoscalers,
    horizontalPodAutoscalersV1,
  } = builtIn;
  assert.deepEqual(
    [
      endpoints,
      csiStorageCapacities,
      networkPolicies,
      serviceCIDRs,
      events,
      eventsV1,
      horizontalPodAutoscalers,
      horizontalPodAutoscalersV1,
    ].map(({ group, version, kind }) => `${group}/${version} ${kind}`),
    [
      "/v1 Endpoints",
      "storage.k8s.io/v1 CSIStorageCapacity",
      "networking.k8s.io/v1 NetworkPolicy",
      "networking.k8s.io/v1 ServiceCIDR",
      "/v1 Event",
      "events.k8s.io/v1 Event",
      "autoscaling/v2 HorizontalPodAutoscaler",
      "autoscaling/v1 HorizontalPodAutoscaler",
    ],
  );
});
