import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymous } from "../authentication/authenticator.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";
import { systemMastersAuthorizer } from "./authorizer.ts";
import { notAuthorized } from "./forbidden.ts";

const admin: UserInfo = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };
const jane: UserInfo = { name: "jane", uid: "", groups: ["devs"], extra: {} };
const path = (user: UserInfo, path: string, verb = "get"): AuthorizationAttributes => ({ kind: "path", user, verb, path });
const resource = (user: UserInfo, verb: string, spec: Partial<Extract<AuthorizationAttributes, { kind: "resource" }>>) =>
  ({
    kind: "resource",
    user,
    verb,
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "",
    name: "",
    ...spec,
  }) as const;

const decisions = [
  { attributes: resource(admin, "delete", {}), expect: "allow" },
  { attributes: path(admin, "/metrics"), expect: "allow" },
  { attributes: resource(jane, "get", {}), expect: "noOpinion" },
  { attributes: path(jane, "/apis"), expect: "noOpinion" },
  { attributes: path(anonymous, "/version"), expect: "allow" },
  { attributes: path(anonymous, "/livez"), expect: "allow" },
  { attributes: path(anonymous, "/livez/ping"), expect: "noOpinion" },
  { attributes: path(anonymous, "/version", "post"), expect: "noOpinion" },
];
for (const { attributes, expect } of decisions) {
  const target = attributes.kind === "path" ? attributes.path : attributes.resource;
  test(`${attributes.user.name} may ${attributes.verb} ${target}: ${expect}`, async () =>
    assert.equal((await systemMastersAuthorizer(attributes)).kind, expect));
}

const messages = [
  {
    attributes: resource(anonymous, "list", { resource: "configmaps", namespace: "ns" }),
    message: 'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "ns"',
    details: { kind: "configmaps" },
  },
  {
    attributes: resource(jane, "get", { subresource: "log", namespace: "ns", name: "p" }),
    message: 'pods "p" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "ns"',
    details: { name: "p", kind: "pods" },
  },
  {
    attributes: resource(jane, "create", { group: "apps", resource: "deployments" }),
    message: 'deployments.apps is forbidden: User "jane" cannot create resource "deployments" in API group "apps" at the cluster scope',
    details: { group: "apps", kind: "deployments" },
  },
  { attributes: path(jane, "/a<b>&c"), message: 'forbidden: User "jane" cannot get path "/a&lt;b&gt;&amp;c"', details: {} },
];
for (const { attributes, message, details } of messages) {
  test(`forbidden: ${message}`, () => {
    const { status } = notAuthorized(attributes, "");
    assert.deepEqual(status, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason: "Forbidden",
      details,
      code: 403,
    });
  });
}

test("forbidden: the authorizer's reason comes last", () => {
  assert.match(notAuthorized(path(jane, "/x"), "because").message, /path "\/x": because$/);
});
