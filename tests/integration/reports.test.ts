/** Reports below /coxswain/v1 show of objects what who asks may read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticator, type Endpoint, textReply } from "@coxswain/apiserver";
import { startApi } from "./api.ts";

const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = [...(name === "root" ? ["system:masters"] : []), "system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};
const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
const group = "rbac.authorization.k8s.io";

async function start() {
  const reports = new Map([
    [
      "pod",
      async ([namespace = "", name = ""]: readonly string[], _: unknown, mayGet: MayGet) =>
        (await mayGet({ resource: "pods", namespace, name })) ? { name } : undefined,
    ],
  ]);
  const echo: Endpoint = async ({ method, path, query, user, body }) =>
    textReply(202, JSON.stringify([method, path, query.get("q"), user.name, Buffer.from(body).toString()]));
  const api = await startApi({ authenticators: [authenticator], reports, endpoints: new Map([["echo", echo]]) });
  const allow = async (name: string, rule: object): Promise<void> => {
    const subjects = [{ apiGroup: group, kind: "User", name: "jane" }];
    const roleRef = { apiGroup: group, kind: "ClusterRole", name };
    for (const [resource, body] of [
      ["clusterroles", { metadata: { name }, rules: [rule] }],
      ["clusterrolebindings", { metadata: { name }, roleRef, subjects }],
    ] as const)
      assert.equal((await api.send("POST", `/apis/${group}/v1/${resource}`, { body, ...as("root") })).status, 201);
  };
  await allow("reports", { nonResourceURLs: ["/coxswain/v1/*"], verbs: ["get"] });
  return { api, allow };
}

type MayGet = (object: { readonly resource: string; readonly namespace: string; readonly name: string }) => Promise<boolean>;

test("conflicts on objects that a user may not read are left out", async () => {
  const { api, allow } = await start();
  const path = "/api/v1/namespaces/default/configmaps";
  const { body: first } = await api.send("POST", path, { body: { metadata: { name: "c" } }, ...as("root") });
  await api.send("PUT", `${path}/c`, { body: { ...first, data: { a: "1" } }, ...as("root") });
  assert.equal((await api.send("PUT", `${path}/c`, { body: { ...first, data: { a: "2" } }, ...as("root") })).status, 409);
  const seen = async (name: string): Promise<number> => (await api.send("GET", "/coxswain/v1/conflicts", as(name))).body.items.length;
  assert.deepEqual([await seen("root"), await seen("jane")], [1, 0]);
  await allow("readers", { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] });
  assert.equal(await seen("jane"), 1);
});

test("a report about a Pod is for those who may read the Pod", async () => {
  const { api, allow } = await start();
  const status = async (name: string): Promise<number> => (await api.send("GET", "/coxswain/v1/pod/default/p", as(name))).status;
  assert.deepEqual([await status("root"), await status("jane")], [200, 404]);
  await allow("pods", { apiGroups: [""], resources: ["pods"], resourceNames: ["p"], verbs: ["get"] });
  assert.equal(await status("jane"), 200);
});

test("an endpoint gets requests of any method with their bodies, from those who may make them", async () => {
  const { api, allow } = await start();
  const asked = async (name: string, method: string, path: string) => {
    const sent = method === "GET" ? as(name) : { ...as(name), body: { a: 1 } };
    const { status, text } = await api.send(method, path, sent);
    return status === 202 ? JSON.parse(text) : status;
  };
  assert.deepEqual(await asked("root", "POST", "/coxswain/v1/echo/a/b?q=1"), ["POST", ["a", "b"], "1", "root", '{"a":1}']);
  assert.deepEqual(await asked("root", "DELETE", "/coxswain/v1/echo"), ["DELETE", [], null, "root", '{"a":1}']);
  assert.equal(await asked("root", "POST", "/coxswain/v1/pod/default/p"), 405);
  assert.equal(await asked("root", "POST", "/coxswain/v1/none"), 405);
  assert.equal(await asked("root", "POST", "/coxswain/v2/echo"), 405);
  assert.equal((await asked("jane", "GET", "/coxswain/v1/echo"))[3], "jane");
  assert.equal(await asked("jane", "POST", "/coxswain/v1/echo"), 403);
  await allow("echo", { nonResourceURLs: ["/coxswain/v1/echo"], verbs: ["post"] });
  assert.equal((await asked("jane", "POST", "/coxswain/v1/echo"))[0], "POST");
  assert.equal(await asked("jane", "POST", "/coxswain/v1/echo/a"), 403);
  assert.equal(await asked("jane", "DELETE", "/coxswain/v1/echo"), 403);
});
