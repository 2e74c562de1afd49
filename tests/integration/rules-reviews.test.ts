/** What SelfSubjectRulesReviews list, as kube-apiserver 1.36.3 answers with the same authorizers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticator, type AuthorizationOptions, type ServerOptions, staticContent } from "@coxswain/apiserver";
import { type Api, startApi } from "./api.ts";

/** `Bearer NAME`; `system:node:NAME` is a node. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = name.startsWith("system:node:") ? ["system:nodes", "system:authenticated"] : ["system:authenticated"];
  const user = { name, uid: "", groups: name === "admin" ? ["system:masters"] : groups, extra: {} };
  return name === "" ? { kind: "unclaimed" } : { kind: "authenticated", user };
};

const webhook = {
  webhook: {
    post: async () => {
      const review = { kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", status: { allowed: true } };
      return { status: 200, body: Buffer.from(JSON.stringify(review)), retryAfter: undefined };
    },
  },
  ...({ version: "v1", timeoutMs: 1_000, authorizedMs: 0, unauthorizedMs: 0, onFailure: "noOpinion" } as const),
};

const chain = (...types: readonly AuthorizationOptions["current"][number]["type"][]): AuthorizationOptions =>
  staticContent(() => types.map((type, i) => ({ type, name: `a${i}`, webhook: type === "Webhook" ? webhook : undefined })));

const paths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discovery = [
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];
const basic = {
  resourceRules: [
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"] },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ],
  nonResourceRules: [
    { verbs: ["get"], nonResourceURLs: discovery },
    { verbs: ["get"], nonResourceURLs: paths },
  ],
};
const all = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const none = { resourceRules: [], nonResourceRules: [] };
const unlisted = (authorizer: string): string => `${authorizer} does not support user rule resolution`;
const node = "system:node:n1";

interface Case {
  readonly name: string;
  readonly options: Partial<ServerOptions>;
  readonly as?: string;
  readonly status: { readonly incomplete: boolean; readonly evaluationError?: string };
}

const cases: readonly Case[] = [
  { name: "Node and RBAC list what bindings give", options: {}, status: { ...basic, incomplete: false } },
  {
    name: "the Node authorizer cannot list what nodes may do",
    options: {},
    as: node,
    status: { ...basic, incomplete: true, evaluationError: unlisted("node authorizer") },
  },
  {
    name: "a webhook cannot list what it allows",
    options: { authorization: chain("Webhook", "RBAC") },
    status: { ...basic, incomplete: true, evaluationError: unlisted("webhook authorizer") },
  },
  {
    name: "each problem is told once, in the order of the authorizers",
    options: { authorization: chain("Node", "Webhook", "Webhook", "RBAC") },
    as: node,
    status: { ...basic, incomplete: true, evaluationError: `[${unlisted("node authorizer")}, ${unlisted("webhook authorizer")}]` },
  },
  { name: "AlwaysAllow lists everything", options: { authorization: chain("AlwaysAllow") }, status: { ...all, incomplete: false } },
  {
    name: "AlwaysDeny lists nothing",
    options: { authorization: chain("AlwaysDeny") },
    as: "admin",
    status: { ...none, incomplete: false },
  },
  {
    name: "an authorizer of the caller's own lists nothing",
    options: { authorizer: () => ({ kind: "allow", reason: "" }) },
    status: { ...none, incomplete: true, evaluationError: unlisted("authorizer") },
  },
];

const review = (api: Api, as: string, spec: object) =>
  api.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
    headers: { authorization: `Bearer ${as}` },
    body: { spec },
  });

for (const { name, options, as = "jane", status } of cases)
  test(`rules reviews: ${name}`, async () => {
    const api = await startApi({ authenticators: [authenticator], ...options });
    const answer = await review(api, as, { namespace: "default" });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body.status, status);
  });

test("rules reviews: one that another thread serves lists the same", async () => {
  const api = await startApi({ authenticators: [authenticator], authorization: chain("Node", "RBAC"), offload: "thread" });
  try {
    const answer = await review(api, node, { namespace: "default", padding: "x".repeat(200_000) });
    assert.deepEqual(answer.body.status, { ...basic, incomplete: true, evaluationError: unlisted("node authorizer") });
  } finally {
    await api.server.close();
  }
});

test("rules reviews: a role that is bound but is not there is told of", async () => {
  const api = await startApi({ authenticators: [authenticator] });
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }];
  const body = { metadata: { name: "b" }, subjects, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "gone" } };
  const headers = { authorization: "Bearer admin" };
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
  assert.equal((await api.send("POST", path, { headers, body })).status, 201);
  const { status } = (await review(api, "jane", { namespace: "default" })).body;
  const evaluationError = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
  assert.deepEqual(status, { ...basic, incomplete: false, evaluationError });
});
