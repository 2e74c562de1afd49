/** An extension server made of `@coxswain/apiserver` itself: it serves one more resource, to whom the server in front of it vouches for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiServer, type Authenticator, type ContentProvider, createServer, Metrics } from "@coxswain/apiserver";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { storeUnderTest } from "../store-under-test.ts";
import { startApi } from "./api.ts";
import { ask, available, group, register, root } from "./extension-server.ts";
import { certificateFor } from "./webhook-server.ts";

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const constant = <T>(current: T): ContentProvider<T> => ({ current, subscribe: () => ({ [Symbol.dispose]: () => undefined }) });

const schema = {
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { length: { type: "integer" } } } } },
};
const definition = {
  kind: "CustomResourceDefinition",
  apiVersion: "apiextensions.k8s.io/v1",
  metadata: { name: `boats.${group}` },
  spec: {
    group,
    scope: "Namespaced" as const,
    names: { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
};

/** Whoever runs the extension server defines what it serves. */
const owner: Authenticator = ({ headers }) =>
  headers.authorization === "Bearer own"
    ? { kind: "authenticated", user: { name: "owner", uid: "", groups: ["system:masters"], extra: {} } }
    : { kind: "unclaimed" };

/** @param frontProxy in PEM: who signs the certificate of the server in front */
async function startBoats(frontProxy: string, tls: { readonly cert: string; readonly key: string }): Promise<ApiServer> {
  const names = { usernameHeaders: ["X-Remote-User"], uidHeaders: [], groupHeaders: ["X-Remote-Group"], extraHeaderPrefixes: [] };
  const server = await createServer({
    ...{ store: await storeUnderTest(systemClock), clock: systemClock, random: systemRandom, log: silent, tls },
    ...{ authenticators: [owner], metrics: new Metrics({ startedAt: 0 }), version: "0.0.0", platform: "linux/amd64" },
    authentication: { requestHeader: { ...names, allowedNames: ["api-server"], clientAuthorities: constant(frontProxy) } },
    authorizer: ({ user }) => (user.name === "system:anonymous" ? { kind: "noOpinion", reason: "" } : { kind: "allow", reason: "" }),
  });
  const headers = { authorization: "Bearer own", "content-type": "application/json" };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const request = { method: "POST", path, query: "", headers, remoteAddress: "", http1: false };
  assert.equal((await server.handle(request, Buffer.from(JSON.stringify(definition)))).status, 201);
  return server;
}

test("boats are created, listed, watched and deleted in a server of their own, by users of the server in front", async (t) => {
  const { cert, key, caBundle, client } = certificateFor({ dns: ["boats.default.svc"] });
  const extension = await startBoats(Buffer.from(caBundle, "base64").toString(), { cert, key });
  t.after(() => extension.close());
  const { port } = await extension.listen(0, "127.0.0.1");
  const proxyClient = constant({ cert: client.certificate, key: client.key });
  const api = await startApi({ kubelets: { loopback: true }, aggregation: { proxyClient } });
  t.after(() => api.server.close());
  await register(api, { port, caBundle });
  await available(api);
  const collection = `${root}/namespaces/default/boats`;
  const headers = { "content-type": "application/json" };
  const body = { apiVersion: `${group}/v1`, kind: "Boat", metadata: { name: "b" }, spec: { length: 7, other: 1 } };
  const created = await ask(api, "POST", `${collection}?fieldManager=me`, { body, headers });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.body.spec, { length: 7 });
  const listed = await ask(api, "GET", collection);
  assert.deepEqual([listed.body.kind, listed.body.items.length], ["BoatList", 1]);
  const { items } = (await api.send("GET", "/apis", { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" }))
    .body;
  const entry = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === group);
  assert.equal(entry.versions[0].resources[0].resource, "boats");
  const watch = await api.watch(`${collection}?watch=true&resourceVersion=${listed.body.metadata.resourceVersion}`);
  assert.equal((await ask(api, "DELETE", `${collection}/b`)).status, 200);
  await waitUntil("the deletion", () => (watch.events.some(({ type }) => type === "DELETED") ? true : undefined));
  watch.leave();
  assert.match((await ask(api, "GET", `${collection}/b`)).body.message, /boats.boats.example.com "b" not found/);
});
