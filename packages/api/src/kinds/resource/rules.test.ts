import { testRules } from "../rules-under-test.ts";

const slice = { driver: "d.example.com", pool: { name: "p", generation: 0, resourceSliceCount: 1 } };

testRules([
  {
    name: "a claim's requests",
    of: ["resource.k8s.io", "v1", "resourceclaims"],
    object: { spec: { devices: { requests: [{ name: "a" }, { name: "a", exactly: { deviceClassName: "c", count: -1 } }] } } },
    expect: [
      "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
      "spec.devices.requests[1].exactly.count: Invalid value: -1: must be greater than zero",
      'spec.devices.requests[1]: Duplicate value: "a"',
    ],
  },
  {
    name: "a slice that is nowhere",
    of: ["resource.k8s.io", "v1", "resourceslices"],
    object: { spec: slice },
    expect: ["spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"],
  },
  {
    name: "that a slice's driver stays",
    of: ["resource.k8s.io", "v1", "resourceslices"],
    object: { spec: { ...slice, driver: "e.example.com", allNodes: true } },
    before: { spec: { ...slice, allNodes: true } },
    expect: ['spec.driver: Invalid value: "e.example.com": field is immutable'],
  },
]);
