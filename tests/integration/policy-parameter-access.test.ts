/** Whoever names parameters of policies must be allowed to read them. The sentences are those of Kubernetes 1.36.3. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Authenticator } from "@coxswain/apiserver";
import { type Api, type Json, startApi } from "./api.ts";

/** `Bearer NAME` is that user; `admin` is of `system:masters`. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  return { kind: "authenticated", user: { name, uid: "", groups: [name === "admin" ? "system:masters" : "devs"], extra: {} } };
};

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "/apis/admissionregistration.k8s.io/v1";
const as = async (api: Api, user: string, path: string, body: Json): Promise<Json> => {
  const answer = await api.send("POST", path, { body, headers: { authorization: `Bearer ${user}` } });
  return answer.body;
};

const matchConstraints = { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }] };
const policy = (name: string, paramKind: Json): Json => ({
  metadata: { name },
  spec: { paramKind, matchConstraints, validations: [{ expression: "true" }] },
});
const binding = (policyName: string, paramRef: Json): Json => ({
  metadata: { name: "b" },
  spec: { policyName, validationActions: ["Deny"], paramRef: { parameterNotFoundAction: "Deny", ...paramRef } },
});

async function started(): Promise<Api> {
  const api = await startApi({ authenticators: [authenticator] });
  const rules = [
    { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] },
  ];
  await as(api, "admin", `${rbac}/clusterroles`, { metadata: { name: "policies" }, rules });
  await as(api, "admin", `${rbac}/clusterrolebindings`, {
    metadata: { name: "policies" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "policies" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  });
  await as(api, "admin", `${group}/validatingadmissionpolicies`, policy("secrets", { apiVersion: "v1", kind: "Secret" }));
  await as(api, "admin", `${group}/validatingadmissionpolicies`, policy("unknown", { apiVersion: "nope/v1", kind: "Secret" }));
  return api;
}

const jane = "user &{jane  [devs] map[]}";
const refused = [
  {
    path: "validatingadmissionpolicies",
    body: policy("b", { apiVersion: "v1", kind: "Secret" }),
    why: `spec.paramKind: Forbidden: ${jane} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
  },
  {
    path: "validatingadmissionpolicybindings",
    body: binding("secrets", { name: "x", namespace: "default" }),
    why: `spec.paramRef: Forbidden: ${jane} does not have "get" permission on the object referenced by paramRef`,
  },
  {
    path: "validatingadmissionpolicybindings",
    body: binding("secrets", { selector: {} }),
    why: `spec.paramRef: Forbidden: ${jane} does not have "list" permission on the object referenced by paramRef`,
  },
  {
    path: "validatingadmissionpolicybindings",
    body: binding("none", { name: "x" }),
    why: `spec.paramRef: Forbidden: unable to get policy none to determine minimum required permissions and ${jane} does not have "get" permission for all groups, versions and resources`,
  },
  {
    path: "validatingadmissionpolicybindings",
    body: binding("unknown", { name: "x" }),
    why: `spec.paramRef: Forbidden: unable to resolve paramKind &{nope/v1 Secret} to determine minimum required permissions and ${jane} does not have "get" permission for all groups, versions and resources`,
  },
];
for (const { path, body, why } of refused)
  test(why, async () => {
    const { message, code } = await as(await started(), "jane", `${group}/${path}`, body);
    assert.equal(code, 422);
    const kind = path.endsWith("ings") ? "ValidatingAdmissionPolicyBinding" : "ValidatingAdmissionPolicy";
    assert.equal(message, `${kind}.admissionregistration.k8s.io "b" is invalid: ${why}`);
  });

test("parameters that may be read may be named", async () => {
  const api = await started();
  const made = await as(api, "jane", `${group}/validatingadmissionpolicies`, policy("maps", { apiVersion: "v1", kind: "ConfigMap" }));
  assert.equal(made.kind, "ValidatingAdmissionPolicy");
  const bound = await as(api, "jane", `${group}/validatingadmissionpolicybindings`, binding("maps", { selector: {} }));
  assert.equal(bound.kind, "ValidatingAdmissionPolicyBinding");
});
