import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymous } from "../authentication/authenticator.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../contracts/authorizer.ts";
import { systemMastersAuthorizer, unionAuthorizer } from "./authorizer.ts";
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
  { attributes: path(anonymous, "/version"), expect: "noOpinion" },
];
for (const { attributes, expect } of decisions) {
  const target = attributes.kind === "path" ? attributes.path : attributes.resource;
  test(`${attributes.user.name} may ${attributes.verb} ${target}: ${expect}`, async () =>
    assert.equal((await systemMastersAuthorizer(attributes)).kind, expect));
}

const says =
  (kind: Decision["kind"], reason = ""): Authorizer =>
  () => ({ kind, reason });
const fails =
  (error: string): Authorizer =>
  () => ({ kind: "noOpinion", reason: "", error });
const later =
  (authorizer: Authorizer): Authorizer =>
  async (attributes) =>
    authorizer(attributes);

const chains: readonly { readonly name: string; readonly chain: readonly Authorizer[]; readonly expect: Decision }[] = [
  { name: "none", chain: [], expect: { kind: "noOpinion", reason: "" } },
  {
    name: "the first that allows",
    chain: [says("noOpinion", "a"), says("allow", "b"), says("deny")],
    expect: { kind: "allow", reason: "b" },
  },
  { name: "the first that denies", chain: [says("deny", "a"), says("allow")], expect: { kind: "deny", reason: "a" } },
  {
    name: "all reasons where none decides",
    chain: [says("noOpinion", "a"), says("noOpinion"), later(says("noOpinion", "b"))],
    expect: { kind: "noOpinion", reason: "a\nb" },
  },
  {
    name: "errors of all that have no opinion, each once",
    chain: [fails("a"), later(fails("b")), fails("a")],
    expect: { kind: "noOpinion", reason: "", error: "[a, b]" },
  },
  { name: "one that allows after an error", chain: [fails("a"), says("allow", "b")], expect: { kind: "allow", reason: "b" } },
  { name: "one that answers later", chain: [later(says("noOpinion", "a")), says("allow", "b")], expect: { kind: "allow", reason: "b" } },
];
for (const { name, chain, expect } of chains) {
  test(`a union of authorizers: ${name}`, async () => assert.deepEqual(await unionAuthorizer(chain)(path(jane, "/")), expect));
}

test("a union of authorizers that answer at once answers at once", () => {
  assert.equal(unionAuthorizer([says("noOpinion"), says("allow")])(path(jane, "/")) instanceof Promise, false);
});

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
