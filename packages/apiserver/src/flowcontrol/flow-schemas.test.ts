import assert from "node:assert/strict";
import { test } from "node:test";
import { type flowcontrolV1, flowSchemas } from "@coxswain/api";
import type { UserInfo } from "../contracts/authenticator.ts";
import { parseRequest } from "../request/request-info.ts";
import { compileSchema } from "./flow-schemas.ts";
import { SchemaChoice } from "./schema-choice.ts";

const schemas = flowSchemas("").map(compileSchema);
const builtIn = new SchemaChoice(schemas);

const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: "", groups: [...groups, "system:authenticated"], extra: {} });

const schemaOf = (who: UserInfo, method: string, path: string): string | undefined =>
  builtIn.of(who, parseRequest(method, path, false))?.name;

const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x";
const pods = "/api/v1/namespaces/default/pods";
const account = (namespace: string, name: string): UserInfo =>
  user(`system:serviceaccount:${namespace}:${name}`, "system:serviceaccounts", `system:serviceaccounts:${namespace}`);
const node = user("system:node:a", "system:nodes");

for (const [who, method, path, expected] of [
  [user("root", "system:masters"), "DELETE", pods, "exempt"],
  [user("jane"), "GET", "/healthz", "probes"],
  [user("jane"), "GET", "/livez/etcd", "probes"],
  [user("jane"), "GET", pods, "global-default"],
  [{ ...user(""), name: "system:anonymous", groups: ["system:unauthenticated"] }, "GET", "/version", "global-default"],
  [user("system:kube-scheduler"), "PUT", lease, "system-leader-election"],
  [user("system:kube-scheduler"), "GET", pods, "kube-scheduler"],
  [user("system:kube-controller-manager"), "GET", pods, "kube-controller-manager"],
  [account("kube-system", "coredns"), "POST", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", "system-leader-election"],
  [account("kube-system", "coredns"), "DELETE", lease, "kube-system-service-accounts"],
  [account("default", "default"), "GET", pods, "service-accounts"],
  [node, "PATCH", "/api/v1/nodes/a/status", "system-node-high"],
  [node, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a", "system-node-high"],
  [node, "GET", pods, "system-nodes"],
  [{ ...user("nobody"), groups: [] }, "GET", pods, undefined],
] as const)
  test(`${who.name} ${method} ${path}: ${expected}`, () => {
    assert.equal(schemaOf(who, method, path), expected);
    // What is known of the user by then changes nothing.
    assert.equal(schemaOf(who, "GET", "/healthz"), new SchemaChoice(schemas).of(who, parseRequest("GET", "/healthz", false))?.name);
    assert.equal(schemaOf(who, method, path), expected);
  });

function matching(rules: flowcontrolV1.PolicyRulesWithSubjects[]) {
  const schema = compileSchema({
    metadata: { name: "s" },
    spec: { priorityLevelConfiguration: { name: "l" }, matchingPrecedence: 1, rules },
  });
  const choice = new SchemaChoice([schema]);
  return (who: UserInfo, method: string, path: string) => choice.of(who, parseRequest(method, path, false)) !== undefined;
}

const everybody: flowcontrolV1.Subject[] = [{ kind: "Group", group: { name: "*" } }];

test("rules name verbs, groups, resources with their subresources, and namespaces", () => {
  const rule = { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods", "pods/log"], namespaces: ["a"] };
  const asks = matching([{ subjects: everybody, resourceRules: [rule] }]);
  const jane = user("jane");
  const allowed = ["/api/v1/namespaces/a/pods", "/api/v1/namespaces/a/pods/x/log", "/apis/apps/v1/namespaces/a/pods"];
  const others = ["/api/v1/namespaces/b/pods", "/api/v1/pods", "/api/v1/namespaces/a/pods/x/status", "/apis/batch/v1/namespaces/a/pods"];
  assert.deepEqual(
    [...allowed, ...others].map((path) => asks(jane, "GET", path)),
    [...allowed.map(() => true), ...others.map(() => false)],
  );
  assert.equal(asks(jane, "DELETE", "/api/v1/namespaces/a/pods/x"), false);
});

test("clusterScope is for what is in no namespace", () => {
  const rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true };
  const asks = matching([{ subjects: everybody, resourceRules: [rule] }]);
  assert.deepEqual(
    ["/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces/a/pods"].map((path) => asks(user("jane"), "GET", path)),
    [true, true, false],
  );
});

test("a path stands for what is below it", () => {
  const asks = matching([{ subjects: everybody, nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/debug", "/metrics/*"] }] }]);
  assert.deepEqual(
    ["/debug", "/debug/x", "/debugger", "/metrics/x", "/metrics"].map((path) => asks(user("jane"), "GET", path)),
    [true, true, false, true, false],
  );
});

test("subjects are users, groups and service accounts, and all must be met of one rule", () => {
  const all = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }];
  const asks = matching([
    { subjects: [{ kind: "User", user: { name: "jane" } }], resourceRules: all },
    { subjects: [{ kind: "ServiceAccount", serviceAccount: { namespace: "a", name: "*" } }], nonResourceRules: [] },
    { subjects: [{ kind: "ServiceAccount", serviceAccount: { namespace: "b", name: "x" } }], resourceRules: all },
  ]);
  assert.deepEqual(
    [user("jane"), user("joe"), account("a", "x"), account("b", "x"), account("b", "y")].map((who) => asks(who, "GET", pods)),
    [true, false, false, true, false],
  );
});
