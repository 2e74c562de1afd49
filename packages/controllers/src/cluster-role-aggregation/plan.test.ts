import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregate, plan } from "./plan.ts";

const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const role = (name: string, labels: Record<string, string>, ...resources: string[]) => ({
  metadata: { name, labels },
  rules: resources.map(rule),
});
const sum = (...selectors: Record<string, string>[]) => ({
  metadata: { name: "sum", labels: { to: "sum" } },
  aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
  rules: [rule("own")],
});
const all = [
  role("b", { to: "sum" }, "pods", "services"),
  role("a", { to: "sum" }, "pods", "nodes"),
  role("c", { to: "other" }, "secrets"),
  sum({ to: "sum" }),
];

const cases = [
  { name: "roles by name, each rule once, and never its own", role: sum({ to: "sum" }), expect: ["pods", "nodes", "services"] },
  { name: "selector by selector", role: sum({ to: "other" }, { to: "sum" }), expect: ["secrets", "pods", "nodes", "services"] },
  { name: "nothing where nothing is chosen", role: sum({ to: "none" }), expect: [] },
];
for (const { name, role: given, expect } of cases)
  test(name, () => {
    assert.deepEqual(
      aggregate(given, all).flatMap(({ resources }) => resources),
      expect,
    );
  });

test("a role that has its rules already is not written", () => {
  const role = sum({ to: "sum" });
  const rules = plan({ role, all });
  assert.deepEqual(rules, aggregate(role, all));
  assert.equal(plan({ role: { ...role, rules: [...(rules ?? [])] }, all }), undefined);
});
