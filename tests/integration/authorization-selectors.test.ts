/** Selectors of requests, of expressions and of reviews, as authorizers get them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticator, type AuthorizerOptions, staticContent } from "@coxswain/apiserver";
import { type Api, type Json, startApi } from "./api.ts";
import { addPolicy, configMap, configMaps } from "./policies.ts";

/** `Bearer NAME`; what starts with `system:node:` is a node's. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = name === "admin" ? ["system:masters"] : name.startsWith("system:node:") ? ["system:nodes", "system:authenticated"] : [];
  return name === "" ? { kind: "unclaimed" } : { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

/** Allows what names a selector. */
function selectiveWebhook() {
  const asked: Json[] = [];
  const webhook: AuthorizerOptions["webhook"] = {
    webhook: {
      post: async (body) => {
        const { resourceAttributes = {} } = JSON.parse(Buffer.from(body).toString()).spec;
        asked.push(resourceAttributes);
        const allowed = resourceAttributes.resource !== "pods" || resourceAttributes.labelSelector !== undefined;
        const answer = { kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", status: { allowed } };
        return { status: 200, body: Buffer.from(JSON.stringify(answer)), retryAfter: undefined };
      },
    },
    version: "v1",
    timeoutMs: 1_000,
    authorizedMs: 1_000,
    unauthorizedMs: 1_000,
    onFailure: "noOpinion",
  };
  const authorization = staticContent((): readonly AuthorizerOptions[] => [{ type: "Webhook", name: "default", webhook }]);
  return { asked, authorization };
}

const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
const inNamespace = "/api/v1/namespaces/default/pods";
const selectors = {
  fieldSelector: { requirements: [{ key: "spec.nodeName", operator: "In", values: ["n1"] }] },
  labelSelector: { requirements: [{ key: "app", operator: "NotIn", values: ["a", "b"] }] },
};

test("a webhook sees the selectors of lists, watches and deletions of many", async () => {
  const { asked, authorization } = selectiveWebhook();
  const api = await startApi({ authenticators: [authenticator], authorization });
  const query = "fieldSelector=spec.nodeName%3Dn1&labelSelector=app%20notin%20(b,a)";
  assert.equal((await api.send("GET", inNamespace, as("jane"))).status, 403);
  assert.equal((await api.send("GET", `${inNamespace}?${query}`, as("jane"))).status, 200);
  assert.equal((await api.send("DELETE", `${inNamespace}?${query}`, as("jane"))).status, 200);
  const on = { namespace: "default", version: "v1", resource: "pods" };
  assert.deepEqual(asked, [
    { ...on, verb: "list" },
    { ...on, verb: "list", ...selectors },
    { ...on, verb: "deletecollection", ...selectors },
  ]);
});

for (const offload of ["thread", "none"] as const) {
  test(`a webhook sees the selectors of expressions, which are evaluated ${offload === "thread" ? "in another thread" : "here"}`, async () => {
    const { asked, authorization } = selectiveWebhook();
    const api = await startApi({ authenticators: [authenticator], authorization, ...(offload === "thread" ? { offload } : {}) });
    try {
      const check =
        "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=n1').labelSelector('app notin (a,b)').check('list')";
      const broken = "authorizer.group('').resource('pods').labelSelector('!!').check('watch')";
      const expression = `${check}.allowed() && !${broken}.allowed()`;
      await addPolicy({ ...api, send: (method, path, sent) => api.send(method, path, { ...as("admin"), ...sent }) }, "Validating", {
        validations: [{ expression }],
      });
      const body = configMap("long", { data: { long: "x".repeat(200_000) } });
      const answer = await api.send("POST", configMaps, { ...as("jane"), body });
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(
        asked.filter(({ resource }) => resource === "pods"),
        [
          { version: "*", resource: "pods", verb: "list", ...selectors },
          { version: "*", resource: "pods", verb: "watch" },
        ],
      );
    } finally {
      await api.server.close();
    }
  });
}

const path = "spec.resourceAttributes";
const tooBroad = "can only list/watch pods with spec.nodeName field selector";
const required = (operator: string, values: readonly string[], key = "spec.nodeName") => ({ key, operator, values });

/** As kube-apiserver 1.36.3 answers about the node n1. */
const reviews: readonly { readonly asked: object; readonly status: object }[] = [
  { asked: {}, status: { allowed: false, reason: tooBroad } },
  { asked: { fieldSelector: { rawSelector: "spec.nodeName=n1" } }, status: { allowed: true } },
  { asked: { fieldSelector: { rawSelector: "spec.nodeName=n2,spec.nodeName=n1" } }, status: { allowed: true } },
  { asked: { fieldSelector: { rawSelector: "spec.nodeName!=n2" } }, status: { allowed: false, reason: tooBroad } },
  {
    asked: { fieldSelector: { rawSelector: "a" }, labelSelector: { rawSelector: "!!" } },
    status: {
      allowed: false,
      reason: tooBroad,
      evaluationError: `${path}.fieldSelector ignored due to parse error; ${path}.labelSelector ignored due to parse error`,
    },
  },
  { asked: { fieldSelector: { requirements: [required("In", ["n1"])] } }, status: { allowed: true } },
  {
    asked: { fieldSelector: { requirements: [required("In", ["n1", "n2"])] } },
    status: { allowed: false, reason: tooBroad, evaluationError: `${path}.fieldSelector ignored due to parse error` },
  },
  {
    asked: { fieldSelector: { requirements: [required("In", ["n1"]), required("Exists", [], "x")] } },
    status: { allowed: true, evaluationError: `${path}.fieldSelector partially ignored due to parse error` },
  },
  {
    asked: { fieldSelector: { requirements: [required("Foo", ["n1"])] } },
    status: { allowed: false, reason: tooBroad, evaluationError: `${path}.fieldSelector ignored due to parse error` },
  },
  {
    asked: { labelSelector: { requirements: [required("Foo", ["n1"], "a"), required("Exists", [], "b")] } },
    status: { allowed: false, reason: tooBroad, evaluationError: `${path}.labelSelector partially ignored due to parse error` },
  },
];

let shared: Promise<Api> | undefined;
const reviewed = (): Promise<Api> => {
  shared ??= startApi({ authenticators: [authenticator] });
  return shared;
};
const group = "/apis/authorization.k8s.io/v1";

for (const { asked, status } of reviews)
  test(`a review of ${JSON.stringify(asked)} is answered with ${JSON.stringify(status)}`, async () => {
    const api = await reviewed();
    const resourceAttributes = { verb: "list", resource: "pods", ...asked };
    const spec = { user: "system:node:n1", groups: ["system:nodes"], resourceAttributes };
    const subject = await api.send("POST", `${group}/subjectaccessreviews`, { ...as("admin"), body: { spec } });
    assert.deepEqual([subject.status, subject.body.status], [201, status]);
    const self = await api.send("POST", `${group}/selfsubjectaccessreviews`, {
      ...as("system:node:n1"),
      body: { spec: { resourceAttributes } },
    });
    assert.deepEqual(self.body.status, status);
  });

test("a review asks authorizers for any version where it names none, and passes on its selectors", async () => {
  const { asked, authorization } = selectiveWebhook();
  const api = await startApi({ authenticators: [authenticator], authorization });
  const body = { spec: { user: "joe", resourceAttributes: { verb: "list", resource: "pods", ...selectors } } };
  const { status } = (await api.send("POST", `${group}/subjectaccessreviews`, { ...as("admin"), body })).body;
  assert.deepEqual(status, { allowed: true });
  assert.deepEqual(asked, [{ verb: "list", version: "*", resource: "pods", ...selectors }]);
});
