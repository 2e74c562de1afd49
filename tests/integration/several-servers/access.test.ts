/** Who may do what follows from what any server has acknowledged, also where another has not seen it yet. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type IncomingRequest, makeServiceAccountKey } from "@coxswain/apiserver";
import type { Answer, Json } from "../api.ts";
import { type Server, startTwo, type TwoServers } from "./two-servers.ts";

const accounts = "/api/v1/namespaces/default/serviceaccounts";
const pods = "/api/v1/namespaces/default/pods";
const secrets = "/api/v1/namespaces/kube-system/secrets";
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
const whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

const admin = ({ headers }: IncomingRequest) =>
  headers.authorization === "Bearer admin"
    ? ({ kind: "authenticated", user: { name: "admin", uid: "", groups: ["system:masters"], extra: {} } } as const)
    : ({ kind: "rejected", reason: "invalid bearer token" } as const);

const as =
  ({ send }: Server, token: string) =>
  (method: string, target: string, body?: unknown): Promise<Answer> =>
    send(method, target, { headers: { authorization: `Bearer ${token}` }, ...(body === undefined ? {} : { body }) });

async function made(answer: Promise<Answer>): Promise<Json> {
  const { status, text, body } = await answer;
  assert.equal(status, 201, text);
  return body;
}

const start = (): Promise<TwoServers> =>
  startTwo({ authenticators: [admin], serviceAccountKey: makeServiceAccountKey(), authentication: { bootstrapTokens: true } });

const accountToken = async (server: Server, spec: object = {}): Promise<string> =>
  (await made(as(server, "admin")("POST", `${accounts}/robot/token`, { spec }))).status.token;

const asks = (server: Server, token: string): Promise<Answer> =>
  as(server, token)("POST", whoami, { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });

const robot = { metadata: { name: "robot" } };
const pod = { metadata: { name: "p" }, spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] } };

const bootstrapSecret = {
  metadata: { name: "bootstrap-token-abcdef" },
  type: "bootstrap.kubernetes.io/token",
  stringData: { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" },
};

const revocations = [
  {
    name: "a ServiceAccount",
    give: async (server: Server) => {
      await made(as(server, "admin")("POST", accounts, robot));
      return await accountToken(server);
    },
    take: `${accounts}/robot`,
  },
  {
    name: "a Pod that a token is bound to",
    give: async (server: Server) => {
      await made(as(server, "admin")("POST", accounts, robot));
      const { metadata } = await made(as(server, "admin")("POST", pods, pod));
      return await accountToken(server, { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: metadata.uid } });
    },
    take: `${pods}/p?gracePeriodSeconds=0`,
  },
  {
    name: "the Secret of a bootstrap token",
    give: async (server: Server) => {
      await made(as(server, "admin")("POST", secrets, bootstrapSecret));
      return "abcdef.0123456789abcdef";
    },
    take: `${secrets}/bootstrap-token-abcdef`,
  },
];
for (const { name, give, take } of revocations)
  test(`once ${name} is deleted on one server, the other takes its token no more`, async () => {
    const { one, two } = await start();
    const token = await give(one);
    assert.equal((await asks(two, token)).status, 201);
    two.store.hold();
    assert.equal((await as(one, "admin")("DELETE", take)).status, 200);
    assert.equal((await asks(two, token)).status, 401);
  });

test("the token of a ServiceAccount that one server has just made is good on the other", async () => {
  const { one, two } = await start();
  two.store.hold();
  await made(as(one, "admin")("POST", accounts, robot));
  const { status, text } = await asks(two, await accountToken(one));
  assert.equal(status, 201, text);
});

test("a right that one server has given or taken counts on the other", async () => {
  const { one, two } = await start();
  await made(as(one, "admin")("POST", accounts, robot));
  const token = await accountToken(one);
  const list = async (): Promise<number> => (await as(two, token)("GET", pods)).status;
  assert.equal(await list(), 403);
  two.store.hold();
  await made(
    as(one, "admin")("POST", `${rbac}/roles`, {
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
    }),
  );
  const subjects = [{ kind: "ServiceAccount", name: "robot", namespace: "default" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
  await made(as(one, "admin")("POST", `${rbac}/rolebindings`, { metadata: { name: "b" }, subjects, roleRef }));
  assert.equal(await list(), 200);
  await as(one, "admin")("DELETE", `${rbac}/rolebindings/b`);
  assert.equal(await list(), 403);
});

test("what a node may read follows from Pods that another server has bound to it", async () => {
  const node = ({ headers }: IncomingRequest) =>
    headers.authorization === "Bearer node"
      ? ({ kind: "authenticated", user: { name: "system:node:n", uid: "", groups: ["system:nodes"], extra: {} } } as const)
      : admin({ headers });
  const { one, two } = await startTwo({ authenticators: [node] });
  await made(as(one, "admin")("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" } }));
  const read = async (): Promise<number> => (await as(two, "node")("GET", "/api/v1/namespaces/default/secrets/s")).status;
  assert.equal(await read(), 403);
  two.store.hold();
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", secret: { secretName: "s" } }] };
  await made(as(one, "admin")("POST", pods, { metadata: { name: "p" }, spec }));
  assert.equal(await read(), 200);
  await as(one, "admin")("DELETE", `${pods}/p?gracePeriodSeconds=0`);
  assert.equal(await read(), 403);
});
