import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseNetworkPolicy } from "./choose-network-policy.ts";

const rules = "enforced by nftables rules";

const cases = [
  { name: "enforces them where rules can be written", expect: { enforced: true, why: rules } },
  { name: "needs nothing where Pods are simulated", kind: "simulated" as const, expect: undefined },
  { name: "leaves them to others when asked to", networkPolicy: false, expect: { enforced: false, why: "left to others" } },
  { name: "says why rules cannot be written", problem: "no nft", expect: { enforced: false, why: "not enforced: no nft" } },
];

for (const { name, kind = "cri", networkPolicy = true, problem, expect } of cases)
  test(`choose NetworkPolicies: ${name}`, async () => {
    assert.deepEqual(await chooseNetworkPolicy({ networkPolicy }, { kind, why: "" }, async () => problem), expect);
  });
