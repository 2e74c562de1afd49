import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "an API service's name and priorities",
    of: ["apiregistration.k8s.io", "v1", "apiservices"],
    object: { metadata: { name: "x" }, spec: { group: "g.io", version: "v1", groupPriorityMinimum: 0, versionPriority: 1001 } },
    expect: [
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.g.io"',
      "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
    ],
  },
]);
