import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { LimitedResource } from "../../contracts/admission-configuration.ts";
import { chargesOf, type Quota } from "./charges.ts";

const pod = (spec: object = {}) => ({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], ...spec } });

const request = (object: object): AdmissionRequest =>
  ({
    operation: "create",
    resource: { definition: { group: "", resource: "pods" }, groupResource: { group: "", resource: "pods" }, prefix: "" },
    subresource: "",
    namespace: "default",
    name: "p",
    object,
    previous: undefined,
  }) as unknown as AdmissionRequest;

const quota = (hard: Record<string, string>, spec: object = {}): Quota => ({
  metadata: { name: "q" },
  spec: { hard, ...spec },
  status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, "0"])) },
});

const priority = { scopeName: "PriorityClass", operator: "In", values: ["high"] };
const limitedAmounts: LimitedResource[] = [{ resource: "pods", matchContains: ["pods", "cpu"] }];
const limitedScopes: LimitedResource[] = [{ resource: "pods", matchScopes: [priority] }];
const cpu = pod({ containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] });

const cases = [
  {
    name: "an amount that no quota is about",
    object: cpu,
    limited: limitedAmounts,
    quotas: [],
    error: /insufficient quota to consume: count\/pods,cpu,pods,requests\.cpu$/,
  },
  {
    name: "an amount of which a quota has room",
    object: pod(),
    limited: [{ resource: "pods", matchContains: ["count/pods"] }],
    quotas: [quota({ "count/pods": "1" })],
    used: [{ "count/pods": "1" }],
  },
  {
    name: "an amount of another resource",
    object: cpu,
    limited: [{ apiGroup: "apps", resource: "deployments", matchContains: ["pods"] }],
    quotas: [],
    used: [],
  },
  {
    name: "a scope that no quota is about",
    object: pod({ priorityClassName: "high" }),
    limited: limitedScopes,
    quotas: [quota({ pods: "1" })],
    error: /^insufficient quota to match these scopes: \[\{PriorityClass In \[high\]\}\]$/,
  },
  {
    name: "a scope that a quota is about",
    object: pod({ priorityClassName: "high" }),
    limited: limitedScopes,
    quotas: [quota({ pods: "1" }, { scopeSelector: { matchExpressions: [priority] } })],
    used: [{ pods: "1" }],
  },
  { name: "a Pod outside of the scope", object: pod(), limited: limitedScopes, quotas: [], used: [] },
  {
    name: "an amount below nothing",
    object: pod({ containers: [{ name: "c", image: "i", resources: { requests: { "example.com/x": "-1" } } }] }),
    limited: [],
    quotas: [quota({ pods: "1" })],
    error: /quota usage is negative for resource\(s\): requests\.example\.com\/x$/,
  },
];
for (const { name, object, limited, quotas, used, error } of cases) {
  test(`limited by default: ${name}`, () => {
    const charge = () => chargesOf(request(object), quotas, { limited, nowMs: 0 });
    if (error === undefined)
      assert.deepEqual(
        charge().map((one) => one.used),
        used,
      );
    else assert.throws(charge, { message: error });
  });
}
