import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../kind-under-test.ts";
import { clusterRole } from "./cluster-role/strategy.ts";
import { clusterRoleBinding } from "./cluster-role-binding/strategy.ts";
import { role } from "./role/strategy.ts";
import { roleBinding } from "./role-binding/strategy.ts";

const group = "rbac.authorization.k8s.io";
const roleRef = { kind: "ClusterRole", name: "view" };

test("a role's rules are about resources or URLs, not both", () => {
  assert.deepEqual(
    createdAs(clusterRole, { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"], resources: ["pods"] }, { verbs: ["get"] }] }).problems,
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[1].resources: Required value: resource rules must supply at least one resource",
    ],
  );
});

test("a role in a namespace is about no URL", () => {
  assert.deepEqual(createdAs(role, { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] }).problems, [
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
  ]);
});

test("an aggregated role selects others", () => {
  assert.deepEqual(createdAs(clusterRole, { aggregationRule: {} }).problems, [
    "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
  ]);
});

test("an aggregated role's selector that cannot be read is wrong as a whole, too", () => {
  const body = { aggregationRule: { clusterRoleSelectors: [{}, { matchExpressions: [{ key: "a", operator: "Near" }] }] } };
  assert.deepEqual(createdAs(clusterRole, body).problems, [
    'aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
    "aggregationRule.clusterRoleSelectors[1]: Invalid value: null: invalid label selector.",
  ]);
});

const bindings = [
  {
    name: "users and groups get their API group",
    subjects: [
      { kind: "User", name: "u" },
      { kind: "Group", name: "g" },
    ],
    expect: [],
  },
  {
    name: "a service account has a namespace",
    subjects: [{ kind: "ServiceAccount", name: "a" }],
    expect: ["subjects[0].namespace: Required value"],
  },
  {
    name: "a service account is of the core group",
    subjects: [{ kind: "ServiceAccount", name: "a", namespace: "n", apiGroup: group }],
    expect: [`subjects[0].apiGroup: Unsupported value: "${group}": supported values: ""`],
  },
];
for (const { name, subjects, expect } of bindings)
  test(`a binding: ${name}`, () => assert.deepEqual(createdAs(clusterRoleBinding, { roleRef, subjects }).problems, expect));

test("a cluster binding binds no role of a namespace", () => {
  assert.deepEqual(createdAs(clusterRoleBinding, { roleRef: { kind: "Role", name: "r" } }).problems, [
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
  ]);
});

test("a binding keeps its role", () => {
  const prev = createdAs(roleBinding, { roleRef }).object;
  assert.deepEqual(updatedAs(roleBinding, prev, { roleRef: { ...roleRef, apiGroup: group } }).problems, []);
  assert.deepEqual(updatedAs(roleBinding, prev, { roleRef: { ...roleRef, name: "edit" } }).problems, [
    `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`,
  ]);
});

test("a Table of bindings shows their subjects", () => {
  const subjects = [
    { kind: "User", name: "u" },
    { kind: "ServiceAccount", name: "a", namespace: "n" },
    { kind: "Group", name: "g" },
    { kind: "User", name: "v" },
  ];
  const metadata = { name: "b", creationTimestamp: "2026-01-01T00:00:00Z" };
  const cells = roleBinding.columns?.cells({ metadata, roleRef, subjects }, Date.parse("2026-01-01T00:00:30Z"));
  assert.deepEqual(cells, ["b", "ClusterRole/view", "30s", "u, v", "g", "n/a"]);
});
