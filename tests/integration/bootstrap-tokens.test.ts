/** Tokens of Secrets with which nodes join. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenAuthenticator } from "@coxswain/apiserver";
import { type Api, type Json, startApi } from "./api.ts";

const admin = { token: "admin", name: "admin", uid: "", groups: ["system:masters"] };
const asAdmin = { authorization: "Bearer admin" };
const start = (): Promise<Api> => startApi({ authenticators: [tokenAuthenticator([admin])], authentication: { bootstrapTokens: true } });
const secrets = "/api/v1/namespaces/kube-system/secrets";
const type = "bootstrap.kubernetes.io/token";
const good = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" };

async function put(api: Api, object: Json): Promise<void> {
  const metadata = { name: "bootstrap-token-abcdef", ...object.metadata };
  const { status, text } = await api.send("POST", secrets, { body: { type, ...object, metadata }, headers: asAdmin });
  assert.equal(status, 201, text);
}

async function whoami(api: Api, token = "abcdef.0123456789abcdef"): Promise<Json> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await api.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {}, headers });
  return status === 201 ? body.status.userInfo : status;
}

const joining = { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers", "system:authenticated"] };
const extra = "system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b";
const cases: readonly { name: string; secret: Json; token?: string; expect: Json }[] = [
  { name: "a token of a Secret", secret: { stringData: good }, expect: joining },
  {
    name: "more groups",
    secret: { stringData: { ...good, "auth-extra-groups": extra } },
    expect: {
      ...joining,
      groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b", "system:authenticated"],
    },
  },
  {
    name: "a group that is no group of joining nodes",
    secret: { stringData: { ...good, "auth-extra-groups": "system:masters" } },
    expect: 401,
  },
  { name: "another secret", secret: { stringData: good }, token: "abcdef.0123456789abcdeg", expect: 401 },
  { name: "another id", secret: { stringData: good }, token: "abcdeg.0123456789abcdef", expect: 401 },
  { name: "an id that is not the name's", secret: { stringData: { ...good, "token-id": "abcdeg" } }, expect: 401 },
  { name: "what is longer than a token", secret: { stringData: good }, token: "abcdef.0123456789abcdef0", expect: 401 },
  { name: "a Secret of another type", secret: { type: "Opaque", stringData: good }, expect: 401 },
  { name: "a Secret without data", secret: {}, expect: 401 },
  {
    name: "a token that is for something else",
    secret: { stringData: { ...good, "usage-bootstrap-authentication": "false" } },
    expect: 401,
  },
  { name: "a token that is still good", secret: { stringData: { ...good, expiration: "2026-01-01T00:00:01Z" } }, expect: joining },
  { name: "a token that has expired", secret: { stringData: { ...good, expiration: "2026-01-01T00:00:00Z" } }, expect: 401 },
  { name: "a token that expires at no time", secret: { stringData: { ...good, expiration: "never" } }, expect: 401 },
];
for (const { name, secret, token, expect } of cases) {
  test(`bootstrap tokens: ${name} is ${expect === 401 ? "refused" : "known"}`, async () => {
    const api = await start();
    await put(api, secret);
    assert.deepEqual(await whoami(api, token), expect);
  });
}

test("bootstrap tokens: one ends with its Secret, also while that is being deleted", async () => {
  const api = await start();
  await put(api, { stringData: good, metadata: { finalizers: ["example.com/kept"] } });
  assert.deepEqual(await whoami(api), joining);
  await api.send("DELETE", `${secrets}/bootstrap-token-abcdef`, { headers: asAdmin });
  assert.equal(await whoami(api), 401);
});

test("bootstrap tokens: are nothing unless they are enabled", async () => {
  const api = await startApi({ authenticators: [tokenAuthenticator([admin])] });
  await put(api, { stringData: good });
  assert.equal(await whoami(api), 401);
});

test("bootstrap tokens: are known by TokenReviews for this server alone", async () => {
  const api = await start();
  await put(api, { stringData: good });
  const review = async (audiences?: readonly string[]): Promise<Json> => {
    const body = { spec: { token: "abcdef.0123456789abcdef", audiences } };
    return (await api.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { body, headers: asAdmin })).body.status;
  };
  const audiences = ["https://kubernetes.default.svc.cluster.local"];
  assert.deepEqual(await review(), { authenticated: true, user: joining, audiences });
  assert.deepEqual(await review(["elsewhere", ...audiences]), { authenticated: true, user: joining, audiences });
  assert.deepEqual(await review(["elsewhere"]), { user: {}, error: "invalid bearer token" });
});
