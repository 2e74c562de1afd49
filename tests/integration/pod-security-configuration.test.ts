/** Pod security admission by the configuration of the server. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Api, startApi } from "./api.ts";

const newest = { level: "privileged", version: "latest" } as const;
const podSecurity = {
  defaults: { enforce: { level: "baseline", version: "latest" }, audit: newest, warn: newest },
  exemptions: { usernames: [] as string[], namespaces: ["exempt"], runtimeClasses: ["gvisor"] },
} as const;

const start = (more: Partial<typeof podSecurity> = {}): Promise<Api> =>
  startApi({ admission: { configuration: { podSecurity: { ...podSecurity, ...more } } } });

const privileged = (more: object = {}) => ({
  metadata: { name: "p" },
  spec: { hostNetwork: true, containers: [{ name: "c", image: "i" }], ...more },
});
const create = (api: Api, namespace: string, pod: object = privileged()) =>
  api.send("POST", `/api/v1/namespaces/${namespace}/pods`, { body: pod });
const makeNamespace = (api: Api, name: string, labels: object = {}) =>
  api.send("POST", "/api/v1/namespaces", { body: { metadata: { name, labels } } });

suite("PodSecurity as it is configured", () => {
  test("holds where a namespace says nothing, and gives way where it does", async () => {
    const api = await start();
    const refused = await create(api, "default");
    assert.equal(refused.status, 403);
    assert.equal(refused.body.message, 'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)');
    await makeNamespace(api, "free", { "pod-security.kubernetes.io/enforce": "privileged" });
    assert.equal((await create(api, "free")).status, 201);
  });

  test("leaves exempt namespaces alone, and says so when their labels ask for more", async () => {
    const api = await start();
    const made = await makeNamespace(api, "exempt", { "pod-security.kubernetes.io/enforce": "restricted" });
    const warning = 'namespace "exempt" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored';
    assert.match(String(made.headers.warning).replaceAll("\\", ""), new RegExp(warning.replaceAll(/[()]/g, "\\$&")));
    assert.equal((await create(api, "exempt")).status, 201);
    const patch = { metadata: { labels: { "pod-security.kubernetes.io/enforce": "baseline" } } };
    const type = "application/merge-patch+json";
    const relaxed = await api.send("PATCH", "/api/v1/namespaces/exempt", { body: patch, type });
    assert.equal(relaxed.headers.warning, undefined);
    const tightened = { metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } } };
    const warned = await api.send("PATCH", "/api/v1/namespaces/exempt", { body: tightened, type });
    assert.match(String(warned.headers.warning), /is exempt from Pod Security/);
    assert.doesNotMatch(String(warned.headers.warning), /existing pods/);
  });

  test("leaves exempt users alone", async () => {
    const api = await start({ exemptions: { ...podSecurity.exemptions, usernames: ["tester"] } });
    assert.equal((await create(api, "default")).status, 201);
  });

  test("leaves Pods of exempt runtime classes alone, also those that are there", async () => {
    const api = await start();
    const body = { metadata: { name: "gvisor" }, handler: "runsc" };
    assert.equal((await api.send("POST", "/apis/node.k8s.io/v1/runtimeclasses", { body })).status, 201);
    assert.equal((await create(api, "default", privileged({ runtimeClassName: "gvisor" }))).status, 201);
    const patch = { metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } } };
    const warned = await api.send("PATCH", "/api/v1/namespaces/default", { body: patch, type: "application/merge-patch+json" });
    assert.equal(warned.status, 200);
    assert.equal(warned.headers.warning, undefined);
  });
});
