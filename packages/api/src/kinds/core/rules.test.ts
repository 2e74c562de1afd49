import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "what a quota can count",
    of: ["", "v1", "resourcequotas"],
    object: { spec: { hard: { pods: "1.5", storage: "1", "requests.cpu": "-1" }, scopes: ["BestEffort", "NotBestEffort"] } },
    expect: [
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
      'spec.hard[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ],
  },
  {
    name: "limits of a whole Pod",
    of: ["", "v1", "limitranges"],
    object: {
      spec: {
        limits: [
          { type: "Pod", default: { cpu: "1" } },
          { type: "Pod", maxLimitRequestRatio: { cpu: "500m" } },
        ],
      },
    },
    expect: [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[1].type: Duplicate value: "Pod"',
      'spec.limits[1].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  },
]);
