import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { builtinTypes, wireFacts } from "@coxswain/api";
import { type IncomingRequest, makeServiceAccountKey, type ServerOptions } from "@coxswain/apiserver";
import { createProtobufCodec } from "@coxswain/machinery";
import { type Api, type Json, startApi } from "./api.ts";

const issuer = "https://kubernetes.default.svc.cluster.local";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const minuteMs = 60_000;

/** The administrator has a token of the old sort; all other clients are the user of a service account token. */
const admin = ({ headers }: IncomingRequest) =>
  headers.authorization === "Bearer admin"
    ? ({ kind: "authenticated", user: { name: "admin", uid: "", groups: ["system:masters"], extra: {} } } as const)
    : ({ kind: "rejected", reason: "invalid bearer token" } as const);

interface Cluster extends Api {
  as(token: string, method: string, target: string, body?: unknown): ReturnType<Api["send"]>;
  admin(method: string, target: string, body?: unknown): ReturnType<Api["send"]>;
  /** A token that was asked for with this spec. */
  token(spec?: object, account?: string): Promise<string>;
  uidOf(target: string): Promise<string>;
}

async function startCluster(more: Partial<ServerOptions> = {}): Promise<Cluster> {
  const api = await startApi({ authenticators: [admin], authorizer: () => ({ kind: "allow", reason: "" }), ...more });
  const as: Cluster["as"] = (token, method, target, body) =>
    api.send(method, target, { headers: { authorization: `Bearer ${token}` }, ...(body === undefined ? {} : { body }) });
  const asAdmin: Cluster["admin"] = (method, target, body) => as("admin", method, target, body);
  await asAdmin("POST", accounts, { metadata: { name: "robot" } });
  return {
    ...api,
    as,
    admin: asAdmin,
    async token(spec = {}, account = "robot") {
      const { status, body, text } = await asAdmin("POST", `${accounts}/${account}/token`, { spec });
      assert.equal(status, 201, text);
      return body.status.token;
    },
    uidOf: async (target) => (await asAdmin("GET", target)).body.metadata.uid,
  };
}

const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

async function createPod(cluster: Cluster, serviceAccountName = "robot", nodeName?: string): Promise<string> {
  const spec = { serviceAccountName, containers: [{ name: "c", image: "i" }], ...(nodeName === undefined ? {} : { nodeName }) };
  const { body, text } = await cluster.admin("POST", "/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
  assert.equal(body.kind, "Pod", text);
  return body.metadata.uid;
}

test("a token request is answered with all that was left out", async () => {
  const cluster = await startCluster();
  const { status, body } = await cluster.admin("POST", `${accounts}/robot/token`, {});
  assert.equal(status, 201);
  assert.deepEqual(body, {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name: "robot", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
    status: { token: body.status.token, expirationTimestamp: "2026-01-01T01:00:00Z" },
  });
  const seconds = Date.UTC(2026, 0, 1) / 1000;
  const { jti, ...claims } = claimsOf(body.status.token);
  assert.match(jti, /^[0-9a-f-]{36}$/);
  assert.deepEqual(claims, {
    aud: [issuer],
    exp: seconds + 3600,
    iat: seconds,
    iss: issuer,
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid: await cluster.uidOf(`${accounts}/robot`) } },
    nbf: seconds,
    sub: "system:serviceaccount:default:robot",
  });
});

test("a token request in protobuf is answered in protobuf", async () => {
  const cluster = await startCluster();
  const codec = createProtobufCodec(builtinTypes, wireFacts);
  const meta = { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1" };
  const type = codec.typeOf(meta.apiVersion, meta.kind);
  assert.ok(type);
  const body = codec.encode(type, { ...meta, spec: { audiences: ["vault"], expirationSeconds: 600, boundObjectRef: null } });
  const media = "application/vnd.kubernetes.protobuf";
  const reply = await cluster.server.handle(
    {
      method: "POST",
      path: `${accounts}/robot/token`,
      query: "",
      headers: { authorization: "Bearer admin", "content-type": media, accept: media },
      remoteAddress: "127.0.0.1",
      http1: false,
    },
    body,
  );
  assert.equal(reply.status, 201);
  assert.ok(reply.body.kind === "bytes");
  const { spec, status }: Json = codec.decode(reply.body.bytes, meta);
  assert.deepEqual(spec, { audiences: ["vault"], expirationSeconds: 600, boundObjectRef: null });
  assert.deepEqual(claimsOf(status.token).aud, ["vault"]);
});

test("a request with a token has the user of its service account", async () => {
  const cluster = await startCluster();
  const token = await cluster.token();
  const { status, body } = await cluster.as(token, "POST", whoami, {});
  assert.equal(status, 201);
  assert.deepEqual(body.status.userInfo, {
    username: "system:serviceaccount:default:robot",
    uid: await cluster.uidOf(`${accounts}/robot`),
    groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [`JTI=${claimsOf(token).jti}`] },
  });
});

test("a token bound to a Pod names the Pod and its node, whether that exists or not", async () => {
  const cluster = await startCluster();
  const uid = await createPod(cluster, "robot", "n");
  const spec = { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p", uid } };
  assert.deepEqual(claimsOf(await cluster.token(spec))["kubernetes.io"].node, { name: "n" });
  const node = await cluster.admin("POST", "/api/v1/nodes", { metadata: { name: "n" } });
  const token = await cluster.token(spec);
  const { body } = await cluster.as(token, "POST", whoami, {});
  assert.deepEqual(body.status.userInfo.extra, {
    "authentication.kubernetes.io/credential-id": [`JTI=${claimsOf(token).jti}`],
    "authentication.kubernetes.io/node-name": ["n"],
    "authentication.kubernetes.io/node-uid": [node.body.metadata.uid],
    "authentication.kubernetes.io/pod-name": ["p"],
    "authentication.kubernetes.io/pod-uid": [uid],
  });
});

const refusals = [
  {
    name: "less than ten minutes",
    body: { spec: { expirationSeconds: 599 } },
    status: 422,
    says: 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  },
  {
    name: "more than 2^32 seconds",
    body: { spec: { expirationSeconds: 2 ** 32 + 1 } },
    status: 422,
    says: 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  },
  {
    name: "as long as can be said",
    body: '{"spec":{"expirationSeconds":9223372036854775807}}',
    status: 422,
    says: 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 9223372036854775807: may not specify a duration larger than 2^32 seconds',
  },
  {
    name: "another account's name",
    body: { metadata: { name: "other" } },
    status: 422,
    says: 'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  },
  {
    name: "an account that is not there",
    account: "nobody",
    body: {},
    status: 404,
    says: 'serviceaccounts "nobody" not found',
  },
  {
    name: "a kind that no token can be bound to",
    body: { spec: { boundObjectRef: { apiVersion: "apps/v1", kind: "Deployment", name: "p" } } },
    status: 400,
    says: "cannot bind token to object of type apps/v1, Kind=Deployment",
  },
  {
    name: "a Secret that is not there",
    body: { spec: { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s" } } },
    status: 404,
    says: 'secrets "s" not found',
  },
  {
    name: "a Pod of another account",
    body: { spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } } },
    status: 400,
    says: 'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
  },
  {
    name: "an account in a namespace that is not there",
    target: "/api/v1/namespaces/nowhere/serviceaccounts/robot/token",
    body: {},
    status: 404,
    says: 'namespaces "nowhere" not found',
  },
  {
    name: "a node of another uid",
    body: { spec: { boundObjectRef: { apiVersion: "v1", kind: "Node", name: "n", uid: "u" } } },
    status: 409,
    says: 'Operation cannot be fulfilled on Node "n": the UID in the bound object reference (u) does not match the UID in record. The object might have been deleted and then recreated',
  },
];
for (const { name, account = "robot", target = `${accounts}/${account}/token`, body, status, says } of refusals) {
  test(`no token for ${name}`, async () => {
    const cluster = await startCluster();
    await createPod(cluster, "default");
    await cluster.admin("POST", "/api/v1/nodes", { metadata: { name: "n" } });
    const answer = await cluster.admin("POST", target, body);
    assert.equal(answer.body.message, says);
    assert.equal(answer.status, status);
  });
}

const ends = [
  { what: "its account", bound: undefined, target: `${accounts}/robot` },
  { what: "its Secret", bound: "Secret", target: "/api/v1/namespaces/default/secrets/p" },
  { what: "its Pod", bound: "Pod", target: "/api/v1/namespaces/default/pods/p" },
  { what: "its node", bound: "Node", target: "/api/v1/nodes/p" },
];
for (const { what, bound, target } of ends) {
  test(`a token ends with ${what}, and does not come back with a new one of that name`, async () => {
    const cluster = await startCluster();
    const createAll = async (): Promise<void> => {
      await cluster.admin("POST", accounts, { metadata: { name: "robot" } });
      await cluster.admin("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "p" } });
      await cluster.admin("POST", "/api/v1/nodes", { metadata: { name: "p" } });
      if ((await cluster.admin("GET", "/api/v1/namespaces/default/pods/p")).status === 404) await createPod(cluster);
    };
    await createAll();
    const token = await cluster.token(bound === undefined ? {} : { boundObjectRef: { apiVersion: "v1", kind: bound, name: "p" } });
    assert.equal((await cluster.as(token, "GET", "/version")).status, 200);
    await cluster.admin("DELETE", target);
    const answer = await cluster.as(token, "GET", "/version");
    assert.equal(answer.status, 401);
    assert.equal(answer.body.message, "Unauthorized");
    await createAll();
    assert.equal((await cluster.as(token, "GET", "/version")).status, 401);
  });
}

test("a token stays valid after a change of its account, and one minute past its expiry", async () => {
  const cluster = await startCluster();
  const token = await cluster.token({ expirationSeconds: 600 });
  const known = async (): Promise<boolean> => (await cluster.as(token, "GET", "/version")).status === 200;
  await cluster.admin("PUT", `${accounts}/robot`, { metadata: { name: "robot", labels: { a: "b" } } });
  assert.equal(await known(), true);
  cluster.clock.advance(11 * minuteMs);
  assert.equal(await known(), true);
  cluster.clock.advance(1);
  assert.equal(await known(), false);
  assert.equal(await known(), false);
});

test("an object that is being deleted gives its token one more minute", async () => {
  const cluster = await startCluster();
  await cluster.admin("PUT", `${accounts}/robot`, { metadata: { name: "robot", finalizers: ["example.com/hold"] } });
  const token = await cluster.token();
  await cluster.admin("DELETE", `${accounts}/robot`);
  const status = async (): Promise<number> => (await cluster.as(token, "GET", "/version")).status;
  assert.equal(await status(), 200);
  cluster.clock.advance(minuteMs + 1);
  assert.equal(await status(), 401);
});

test("a server that gets another name takes its former tokens, and not those of others", async () => {
  const serviceAccountKey = makeServiceAccountKey();
  const old = await startCluster({ serviceAccountKey, tokenOptions: { issuer: "https://old.example" } });
  const token = await old.token();
  const { store } = old;
  const renamed = { issuer: "https://new.example", formerIssuers: ["https://old.example"] };
  const cluster = await startCluster({ store, serviceAccountKey, tokenOptions: renamed });
  assert.equal((await cluster.as(token, "GET", "/version")).status, 200);
  const { iss, aud } = claimsOf(await cluster.token());
  assert.deepEqual([iss, aud], ["https://new.example", ["https://new.example", "https://old.example"]]);
  const other = await startCluster({ store, serviceAccountKey, tokenOptions: { issuer: "https://new.example" } });
  assert.equal((await other.as(token, "GET", "/version")).status, 401);
});

for (const { name, options } of [
  { name: "EC P-256", options: ["ec", "P-256"] },
  { name: "EC P-384", options: ["ec", "P-384"] },
  { name: "EC P-521", options: ["ec", "P-521"] },
  { name: "RSA", options: ["rsa"] },
])
  test(`a server takes the tokens that another has signed with a key of ${name} that it was given`, async () => {
    const [type, namedCurve = ""] = options;
    const { privateKey, publicKey } =
      type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve });
    const serviceAccountKey = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    const one = await startCluster({ serviceAccountKey });
    const token = await one.token();
    const { store } = one;
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
    const two = await startCluster({ store, tokenOptions: { verificationKeys: [`${makeServiceAccountKey()}${pem}`] } });
    assert.equal((await two.as(token, "GET", "/version")).status, 200);
    const { keys } = (await two.admin("GET", "/openid/v1/jwks")).body;
    assert.equal(keys.length, 3);
    const { keys: own } = (await one.admin("GET", "/openid/v1/jwks")).body;
    assert.deepEqual(own, [keys[2]]);
    const stranger = await startCluster({ store });
    assert.equal((await stranger.as(token, "GET", "/version")).status, 401);
  });

test("a token that a kubelet asks for warns first and lasts a year", async () => {
  const cluster = await startCluster();
  await createPod(cluster);
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
  const { exp, iat, "kubernetes.io": more } = claimsOf(await cluster.token({ expirationSeconds: 3607, boundObjectRef }));
  assert.deepEqual([exp - iat, more.warnafter - iat], [365 * 24 * 3600, 3607]);
  const elsewhere = claimsOf(await cluster.token({ expirationSeconds: 3607, boundObjectRef, audiences: ["vault"] }));
  assert.deepEqual([elsewhere.exp - iat, elsewhere["kubernetes.io"].warnafter], [3607, undefined]);
});

test("a token for another audience is refused here, and a TokenReview returns its audiences", async () => {
  const cluster = await startCluster();
  const token = await cluster.token({ audiences: ["vault", "a"] });
  assert.equal((await cluster.as(token, "GET", "/version")).status, 401);
  const review = async (spec: object) => (await cluster.admin("POST", reviews, { spec })).body.status;
  const good = await review({ token, audiences: ["b", "vault"] });
  assert.deepEqual([good.authenticated, good.audiences], [true, ["vault"]]);
  assert.equal(good.user.username, "system:serviceaccount:default:robot");
  assert.deepEqual(await review({ token }), {
    user: {},
    error: `[invalid bearer token, token audiences ["vault" "a"] is invalid for the target audiences ["${issuer}"]]`,
  });
  const plain = await review({ token: await cluster.token() });
  assert.deepEqual([plain.authenticated, plain.audiences], [true, [issuer]]);
  assert.deepEqual((await review({ token: "admin" })).audiences, [issuer]);
  assert.deepEqual(await review({ token: "admin", audiences: ["vault"] }), { user: {}, error: "invalid bearer token" });
});

const forgeries = [
  { name: "changed claims", forge: ([head, , tail]: string[]) => [head, encoded({ iss: issuer, sub: "x" }), tail] },
  { name: "no signature", forge: ([, payload]: string[]) => [encoded({ alg: "none" }), payload, ""] },
  { name: "another algorithm", forge: ([, payload, tail]: string[]) => [encoded({ alg: "HS256" }), payload, tail] },
  { name: "another key", forge: ([, payload, tail]: string[]) => [encoded({ alg: "ES256", kid: "other" }), payload, tail] },
  { name: "another issuer", forge: ([head, , tail]: string[]) => [head, encoded({ iss: "https://example.com" }), tail] },
  { name: "no JSON", forge: () => ["eyJ", "eyJ", "x"] },
  { name: "a part too many", forge: (parts: string[]) => [...parts, "x"] },
];
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
for (const { name, forge } of forgeries) {
  test(`a token with ${name} is refused`, async () => {
    const cluster = await startCluster();
    const forged = forge((await cluster.token()).split(".")).join(".");
    assert.equal((await cluster.as(forged, "GET", "/version")).status, 401);
  });
}

test("others find what they check tokens with", async () => {
  const cluster = await startCluster();
  const token = await cluster.token();
  const config = await cluster.as(token, "GET", "/.well-known/openid-configuration");
  assert.equal(config.type, "application/json");
  assert.equal(config.headers["cache-control"], "public, max-age=3600");
  assert.deepEqual(config.body, {
    issuer,
    jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks",
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
  const { type, body } = await cluster.as(token, "GET", "/openid/v1/jwks");
  assert.equal(type, "application/jwk-set+json");
  const key = await crypto.subtle.importKey("jwk", body.keys[0], { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
  const [head, payload, signature = ""] = token.split(".");
  assert.equal(JSON.parse(Buffer.from(head ?? "", "base64url").toString()).kid, body.keys[0].kid);
  const signed = Buffer.from(`${head}.${payload}`);
  assert.equal(await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, Buffer.from(signature, "base64url"), signed), true);
  assert.equal((await cluster.as(token, "GET", "/openid/v1")).status, 404);
});
