/** What a webhook that decides who may do what, and fails, comes to for requests, reviews and expressions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticator, type AuthorizerOptions, staticContent } from "@coxswain/apiserver";
import { startApi } from "./api.ts";
import { addPolicy, configMap, configMaps } from "./policies.ts";

/** `Bearer NAME`; `admin` may do everything. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = name === "admin" ? ["system:masters"] : [];
  return name === "" ? { kind: "unclaimed" } : { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};
const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });

async function start(types: readonly AuthorizerOptions["type"][], onFailure: "noOpinion" | "deny" = "noOpinion") {
  const webhook = {
    webhook: { post: () => Promise.reject(new Error("connection refused")) },
    ...({ version: "v1", timeoutMs: 1_000, authorizedMs: 0, unauthorizedMs: 0, onFailure } as const),
  };
  const authorizers = types.map((type, i) => ({ type, name: `a${i}`, webhook: type === "Webhook" ? webhook : undefined }));
  return startApi({ authenticators: [authenticator], authorization: staticContent(() => authorizers) });
}

const pods = "/api/v1/namespaces/default/pods";
const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const about = (user: string) => ({
  spec: { user, resourceAttributes: { verb: "list", resource: "pods", labelSelector: { rawSelector: "!!" } } },
});
const ignored = "spec.resourceAttributes.labelSelector ignored due to parse error";

const cases = [
  { types: ["Webhook", "RBAC"], status: 500, review: { allowed: false, evaluationError: `connection refused; ${ignored}` } },
  {
    types: ["Webhook", "RBAC"],
    onFailure: "deny",
    status: 500,
    review: { allowed: false, denied: true, evaluationError: `connection refused; ${ignored}` },
  },
  { types: ["Webhook", "AlwaysAllow"], status: 200, review: { allowed: true, evaluationError: ignored } },
] as const;
for (const { types, status, review, ...more } of cases) {
  const onFailure = "onFailure" in more ? more.onFailure : "noOpinion";
  test(`a webhook that fails before ${types[1]} does and has the failure policy ${onFailure}: ${status}`, async () => {
    const api = await start(types, onFailure);
    const answer = await api.send("GET", pods, as("jane"));
    assert.equal(answer.status, status);
    if (status === 500) assert.equal(answer.text, `Internal Server Error: "${pods}": connection refused\n`);
    assert.deepEqual((await api.send("POST", reviews, { ...as("admin"), body: about("jane") })).body.status, review);
    assert.equal((await api.send("GET", pods, as("admin"))).status, 200);
  });
}

test("expressions see that a check failed", async () => {
  const api = await start(["Webhook"]);
  const check = "authorizer.serviceAccount('default', 'robot').group('').resource('pods').check('list')";
  const expression = `${check}.errored() && ${check}.error() == 'connection refused'`;
  await addPolicy({ ...api, send: (method, path, sent) => api.send(method, path, { ...as("admin"), ...sent }) }, "Validating", {
    validations: [{ expression }],
  });
  const answer = await api.send("POST", configMaps, { ...as("admin"), body: configMap("a") });
  assert.equal(answer.status, 201, answer.text);
});
