import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { loadAuthorizationConfiguration } from "./load.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n";
const file = fileURLToPath(import.meta.url);
const connectionInfo = { type: "KubeConfigFile", kubeConfigFile: file };
const hook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  matchConditionSubjectAccessReviewVersion: "v1",
  failurePolicy: "NoOpinion",
  connectionInfo,
};
const of = (...authorizers: object[]): string => `${head}authorizers: ${JSON.stringify(authorizers)}\n`;
const webhook = (changes: object): string => of({ type: "Webhook", name: "hook", webhook: { ...hook, ...changes } });
const conditions = (...expressions: string[]): string => webhook({ matchConditions: expressions.map((expression) => ({ expression })) });
const failed = "failed to load AuthorizationConfiguration from file:";
const at = "authorizers[0]";

/** What kube-apiserver 1.36.3 answers at its start. */
const broken: readonly { readonly name: string; readonly text: string; readonly expect: string }[] = [
  { name: "an empty file", text: "", expect: "authorizers: Required value: at least one authorization mode must be defined" },
  { name: "no authorizers", text: head, expect: "authorizers: Required value: at least one authorization mode must be defined" },
  {
    name: "no kind",
    text: "apiVersion: apiserver.config.k8s.io/v1\n",
    expect: `${failed} Object 'Kind' is missing in 'apiVersion: apiserver.config.k8s.io/v1\n'`,
  },
  {
    name: "the configuration of authentication",
    text: "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n",
    expect: `${failed} expected AuthorizationConfiguration, got *apiserver.AuthenticationConfiguration`,
  },
  {
    name: "another version",
    text: head.replace("v1", "v2"),
    expect: `${failed} no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme "pkg/runtime/scheme.go:111"`,
  },
  {
    name: "an unknown field",
    text: of({ type: "Node", name: "node", foo: 1 }),
    expect: `${failed} strict decoding error: unknown field "authorizers[0].foo"`,
  },
  {
    name: "a text for a bool",
    text: webhook({ cacheAuthorizedRequests: "x" }),
    expect: `${failed} json: cannot unmarshal string into Go struct field WebhookConfiguration.authorizers.webhook.cacheAuthorizedRequests of type bool`,
  },
  { name: "a duration that is none", text: webhook({ timeout: "abc" }), expect: `${failed} time: invalid duration "abc"` },
  { name: "no type", text: of({ name: "node" }), expect: `${at}.type: Required value` },
  {
    name: "a type twice",
    text: of(...[1, 2].map(() => ({ type: "Node", name: "node" }))),
    expect: 'authorizers[1].type: Duplicate value: "Node"',
  },
  { name: "no name", text: of({ type: "Node" }), expect: `${at}.name: Required value` },
  {
    name: "a name that is none",
    text: of({ type: "Node", name: "A b" }),
    expect: `${at}.name: Invalid value: "A b": authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  },
  {
    name: "a name twice",
    text: of({ type: "Node", name: "node" }, { type: "RBAC", name: "node" }),
    expect: 'authorizers[1].name: Duplicate value: "node"',
  },
  {
    name: "names that are not those of their types",
    text: of({ type: "Node", name: "rbac" }, { type: "RBAC", name: "node" }),
    expect: "[expected name node for authorizer Node instead of rbac, expected name rbac for authorizer RBAC instead of node]",
  },
  { name: "no webhook", text: of({ type: "Webhook", name: "w" }), expect: `${at}.webhook: Required value: required when type=Webhook` },
  {
    name: "a webhook of another type",
    text: of({ type: "Node", name: "node", webhook: { timeout: "1s" } }),
    expect: `${at}.webhook: Invalid value: "non-null": may only be specified when type=Webhook`,
  },
  {
    name: "an empty webhook",
    text: of({ type: "Webhook", name: "w", webhook: {} }),
    expect: `[${at}.timeout: Required value, ${at}.subjectAccessReviewVersion: Required value, ${at}.failurePolicy: Required value, ${at}.connectionInfo.type: Required value]`,
  },
  { name: "a timeout too long", text: webhook({ timeout: "31s" }), expect: `${at}.timeout: Invalid value: "31s": must be > 0s and <= 30s` },
  { name: "a negative timeout", text: webhook({ timeout: "-1s" }), expect: `${at}.timeout: Invalid value: "-1s": must be > 0s and <= 30s` },
  {
    name: "a negative time to live",
    text: webhook({ authorizedTTL: "-1s" }),
    expect: `${at}.authorizedTTL: Invalid value: "-1s": must be > 0s`,
  },
  { name: "another one", text: webhook({ unauthorizedTTL: "-5m" }), expect: `${at}.unauthorizedTTL: Invalid value: "-5m0s": must be > 0s` },
  {
    name: "a version that is none",
    text: webhook({ subjectAccessReviewVersion: "v2" }),
    expect: `${at}.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`,
  },
  {
    name: "a version of conditions that is none",
    text: webhook({ matchConditionSubjectAccessReviewVersion: "v2" }),
    expect: `${at}.matchConditionSubjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1"`,
  },
  {
    name: "conditions without their version",
    text: webhook({ matchConditionSubjectAccessReviewVersion: undefined, matchConditions: [{ expression: "true" }] }),
    expect: `${at}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`,
  },
  {
    name: "a failure policy that is none",
    text: webhook({ failurePolicy: "Foo" }),
    expect: `${at}.failurePolicy: Unsupported value: "Foo": supported values: "NoOpinion", "Deny"`,
  },
  {
    name: "a file in a cluster",
    text: webhook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: "/x" } }),
    expect: `${at}.connectionInfo.kubeConfigFile: Invalid value: "/x": can only be set when type=KubeConfigFile`,
  },
  {
    name: "a connection that is none",
    text: webhook({ connectionInfo: { type: "Foo" } }),
    expect: `${at}.connectionInfo.type: Unsupported value: {"Type":"Foo","KubeConfigFile":null}: supported values: "InClusterConfig", "KubeConfigFile"`,
  },
  { name: "no connection", text: webhook({ connectionInfo: {} }), expect: `${at}.connectionInfo.type: Required value` },
  {
    name: "no file",
    text: webhook({ connectionInfo: { type: "KubeConfigFile" } }),
    expect: `${at}.connectionInfo.kubeConfigFile: Required value`,
  },
  {
    name: "a relative path",
    text: webhook({ connectionInfo: { ...connectionInfo, kubeConfigFile: "a/b" } }),
    expect: `${at}.connectionInfo.kubeConfigFile: Invalid value: "a/b": must be an absolute path`,
  },
  {
    name: "a file that is not there",
    text: webhook({ connectionInfo: { ...connectionInfo, kubeConfigFile: "/nope" } }),
    expect: `${at}.connectionInfo.kubeConfigFile: Invalid value: "/nope": error loading file: stat /nope: no such file or directory`,
  },
  {
    name: "a directory",
    text: webhook({ connectionInfo: { ...connectionInfo, kubeConfigFile: "/" } }),
    expect: `${at}.connectionInfo.kubeConfigFile: Invalid value: "/": must be a regular file`,
  },
  { name: "an empty condition", text: conditions(" "), expect: `${at}.matchConditions[0].expression: Required value` },
  { name: "a condition twice", text: conditions("true", "true"), expect: `${at}.matchConditions[1].expression: Duplicate value: "true"` },
  {
    name: "a number for a condition",
    text: conditions("1"),
    expect: `${at}.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int`,
  },
  {
    name: "any value for a condition",
    text: conditions("dyn(true)"),
    expect: `${at}.matchConditions[0].expression: Invalid value: "dyn(true)": must evaluate to bool but got dyn`,
  },
  {
    name: "a field that is not there",
    text: conditions("request.foo == 1"),
    expect: `${at}.matchConditions[0].expression: Invalid value: "request.foo == 1": compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo == 1\n | .......^`,
  },
  {
    name: "a variable that is not there",
    text: conditions("object.x"),
    expect: `${at}.matchConditions[0].expression: Invalid value: "object.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')\n | object.x\n | ^`,
  },
  {
    name: "too many conditions",
    text: conditions(...Array.from({ length: 65 }, (_, i) => `request.user == '${i}'`)),
    expect: `${at}.matchConditions: Too many: 65: must have at most 64 items`,
  },
];
for (const { name, text, expect } of broken) {
  test(`authorization configuration: ${name} is refused in Kubernetes' words`, async () => {
    await assert.rejects(loadAuthorizationConfiguration(text), (error: Error) => {
      assert.equal(error.message, expect);
      return true;
    });
  });
}

test("authorization configuration: ABAC is refused with what there is", async () => {
  const message = `${at}.type: Unsupported value: "ABAC": supported values: "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"`;
  await assert.rejects(loadAuthorizationConfiguration(of({ type: "ABAC", name: "abac" })), { message });
});

test("authorization configuration: what is not said is as with Kubernetes, in each version", async () => {
  for (const version of ["v1", "v1beta1", "v1alpha1"]) {
    const [node, first, second] = await loadAuthorizationConfiguration(
      of(
        { type: "Node", name: "node" },
        { type: "Webhook", name: "one", webhook: hook },
        {
          type: "Webhook",
          name: "two",
          webhook: {
            ...hook,
            failurePolicy: "Deny",
            cacheAuthorizedRequests: false,
            unauthorizedTTL: "1m",
            subjectAccessReviewVersion: "v1beta1",
          },
        },
      ).replace("/v1\n", `/${version}\n`),
    );
    assert.deepEqual(node, { type: "Node", name: "node" });
    const how = {
      kubeConfigFile: file,
      version: "v1",
      authorizedMs: 300_000,
      unauthorizedMs: 30_000,
      timeoutMs: 3_000,
      onFailure: "noOpinion",
    };
    assert.deepEqual(first, { type: "Webhook", name: "one", webhook: { ...how, matches: undefined } });
    assert.deepEqual(second?.webhook, {
      ...how,
      version: "v1beta1",
      authorizedMs: 0,
      unauthorizedMs: 60_000,
      onFailure: "deny",
      matches: undefined,
    });
  }
});

const jane = { name: "jane", uid: "1", groups: ["devs"], extra: { team: ["a"] } };
const lists: AuthorizationAttributes = {
  ...{ kind: "resource", user: jane, verb: "list", group: "", version: "v1", resource: "pods", subresource: "", namespace: "ns", name: "" },
  fieldSelector: [{ field: "spec.nodeName", operator: "=", value: "n" }],
  labelSelector: [
    { key: "a", operator: "exists", values: [] },
    { key: "b", operator: "gt", values: ["1"] },
  ],
};
const path: AuthorizationAttributes = { kind: "path", user: jane, verb: "get", path: "/metrics" };

const evaluated: readonly { readonly says: readonly string[]; readonly of: AuthorizationAttributes; readonly expect: string }[] = [
  { says: ["has(request.resourceAttributes)", "request.resourceAttributes.namespace == 'ns'"], of: lists, expect: "matches" },
  { says: ["request.resourceAttributes.name == ''", "request.resourceAttributes.subresource == ''"], of: lists, expect: "matches" },
  { says: ["has(request.nonResourceAttributes)"], of: lists, expect: "excluded" },
  { says: ["request.nonResourceAttributes.path.startsWith('/met')"], of: path, expect: "matches" },
  { says: ["'devs' in request.groups && request.extra['team'] == ['a'] && request.uid == '1'"], of: path, expect: "matches" },
  { says: ["request.resourceAttributes.namespace == 'ns'"], of: path, expect: "failed" },
  { says: ["request.resourceAttributes.namespace == 'ns'", "request.user != 'jane'"], of: path, expect: "excluded" },
  {
    says: ["request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'spec.nodeName' && r.operator == 'In')"],
    of: lists,
    expect: "matches",
  },
  { says: ["request.resourceAttributes.labelSelector.requirements.map(r, r.operator) == ['Exists']"], of: lists, expect: "matches" },
  { says: ["has(request.resourceAttributes.labelSelector.rawSelector)"], of: lists, expect: "excluded" },
  {
    says: [
      "[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, [1,2,3,4,5,6,7,8].all(d, [1,2,3,4,5,6,7,8].all(e, [1,2,3,4,5,6,7,8].all(f, [1,2,3,4,5,6,7,8].all(g, true)))))))",
    ],
    of: path,
    expect: "failed",
  },
];
for (const { says, of: attributes, expect } of evaluated) {
  test(`conditions of a webhook for authorization: ${says.join(", ").slice(0, 90)}`, async () => {
    const [{ webhook } = {}] = await loadAuthorizationConfiguration(conditions(...says));
    assert.equal(webhook?.matches?.(attributes).kind, expect);
  });
}
