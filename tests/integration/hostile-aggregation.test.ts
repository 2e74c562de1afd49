/** Clients and servers behind APIServices that want more than they may have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { startApi } from "./api.ts";
import { apiServices, ask, available, condition, group, root, startAggregated, startExtensionServer } from "./extension-server.ts";

const namesOf = (rawHeaders: readonly string[]): string[] => rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());

test("a client's own headers about its identity do not reach the server, however they are spelled", async (t) => {
  await using extension = await startExtensionServer();
  const requestHeader = {
    clientAuthorities: {
      current: Buffer.from(extension.caBundle, "base64").toString(),
      subscribe: () => ({ [Symbol.dispose]: () => undefined }),
    },
    ...{
      allowedNames: ["nobody"],
      usernameHeaders: ["X-Own-User"],
      uidHeaders: [],
      groupHeaders: ["X-Own-Group"],
      extraHeaderPrefixes: ["X-Own-Extra-"],
    },
  };
  const api = await startAggregated(extension, { authentication: { requestHeader } });
  t.after(() => api.server.close());
  await available(api);
  const smuggled = {
    "x-remote-user": "system:admin",
    "x-remote-group": "system:masters",
    "x-remote-extra-scopes": "all",
    x_remote_user: "system:admin",
    "x-remote_group": "system:masters",
    "x-own-user": "system:admin",
    "x-own-group": "system:masters",
    "x-own-extra-a": "b",
    connection: "x-remote-user, x-remote-group, x-boat",
    "x-boat": "1",
    "proxy-authorization": "Basic eA==",
    authorization: "Bearer t",
  };
  await ask(api, "GET", `${root}/boats`, { headers: smuggled });
  const [asked] = extension.asked;
  assert.ok(asked);
  assert.equal(asked.headers["x-remote-user"], "tester");
  assert.equal(asked.headers["x-remote-group"], "system:masters");
  const names = namesOf(asked.rawHeaders);
  assert.deepEqual(
    names.filter((name) => name.includes("own") || name.includes("_") || name.includes("extra") || name === "x-boat"),
    [],
  );
  assert.deepEqual(
    names.filter((name) => name.includes("auth")),
    [],
  );
  assert.equal(names.filter((name) => name === "x-remote-user").length, 1);
});

const unspeakable = ["a\r\nX-Remote-Group: system:masters", "a\0", " system:admin", "system:admin "];
for (const name of unspeakable)
  test(`a user called ${JSON.stringify(name)}, whom headers cannot name, is nobody to the server`, async (t) => {
    await using extension = await startExtensionServer();
    const current = { user: { name: "tester", uid: "", groups: ["system:masters"], extra: {} } };
    const api = await startAggregated(extension, { authenticators: [() => ({ kind: "authenticated", user: current.user })] });
    t.after(() => api.server.close());
    await available(api);
    current.user = { ...current.user, name };
    assert.equal((await ask(api, "GET", `${root}/boats`)).status, 500);
    assert.deepEqual(extension.asked, []);
  });

const detours = [
  `${root}/namespaces/default/boats/..%2f..%2f..%2f..%2f..%2fother.example.com`,
  `${root}/boats/%2e%2e/secrets`,
  `${root}/./boats`,
  `${root}/namespaces/a/../b/boats`,
];
for (const path of detours)
  test(`a path with dots goes nowhere: ${path}`, async (t) => {
    await using extension = await startExtensionServer();
    const api = await startAggregated(extension);
    t.after(() => api.server.close());
    await available(api);
    assert.equal((await ask(api, "GET", path)).status, 404);
    assert.deepEqual(extension.asked, []);
  });

test("the server gets the path and the query that were authorized, spelled in one way", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  await ask(api, "GET", `${root.replace("boats", "bo%61ts")}/namespaces%2fdefault/boats/a%20b?x=1%20&y=%2F`);
  assert.equal(extension.asked[0]?.url, `${root}/namespaces/default/boats/a%20b?x=1+&y=%2F`);
});

test("who may not ask is refused before the server learns of it", async (t) => {
  await using extension = await startExtensionServer();
  const current = { groups: ["system:masters"] };
  const api = await startAggregated(extension, {
    authenticators: [() => ({ kind: "authenticated", user: { name: "tester", uid: "", groups: current.groups, extra: {} } })],
  });
  t.after(() => api.server.close());
  await available(api);
  current.groups = [];
  const { status, body } = await ask(api, "GET", `${root}/namespaces/default/boats`);
  assert.equal(status, 403);
  assert.match(body.message, /User "tester" cannot list resource "boats" in API group "boats.example.com"/);
  assert.deepEqual(extension.asked, []);
});

test("where the server redirects to is neither asked nor told", async (t) => {
  await using extension = await startExtensionServer();
  await using other = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  extension.answer = (response) => response.writeHead(307, { location: `https://127.0.0.1:${other.port}/secret` }).end();
  const { status, text, headers } = await ask(api, "GET", `${root}/boats`);
  assert.deepEqual([status, text], [502, "the backend attempted to redirect this request, which is not permitted"]);
  assert.equal(headers.location, undefined);
  assert.deepEqual(other.asked, []);
});

test("with redirects forwarded the client gets them, and the server still follows none", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension, { aggregation: { forwardRedirects: true } });
  t.after(() => api.server.close());
  await available(api);
  extension.answer = (response) => response.writeHead(307, { location: "/elsewhere" }).end();
  const { status, headers } = await ask(api, "GET", `${root}/boats`);
  assert.deepEqual([status, headers.location, extension.asked.length], [307, "/elsewhere", 1]);
});

test("a server that switches protocols without being asked gets no connection", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  extension.answer = (response) => {
    response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  };
  const { status, text } = await ask(api, "GET", `${root}/boats`);
  assert.equal(status, 503);
  assert.equal(text, 'error trying to reach service: backend tried to switch protocol "websocket" when "" was requested\n');
});

for (const code of [200, 302, 403])
  test(`an upgrade that the server answers with ${code} leaves no connection behind`, async (t) => {
    await using extension = await startExtensionServer();
    const api = await startAggregated(extension);
    t.after(() => api.server.close());
    await available(api);
    extension.upgrade = (socket) => socket.write(`HTTP/1.1 ${code} X\r\nLocation: https://127.0.0.1/\r\nContent-Length: 2\r\n\r\nno`);
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "eA==", "sec-websocket-version": "13" };
    const request = { method: "GET", path: `${root}/boats`, query: "", headers, remoteAddress: "", http1: true };
    const reply = await api.server.handle(request, new Uint8Array(0));
    assert.equal(reply.status, code === 403 ? 403 : code === 302 ? 502 : 503);
    assert.equal(reply.closeConnection, true);
    assert.notEqual(reply.body.kind, "tunnel");
    if (reply.body.kind === "stream") reply.body.discard?.();
    await waitUntil("the end of the connection", () => (extension.upgraded.every(({ destroyed }) => destroyed) ? true : undefined));
  });

test("an upgrade carries no token, and nothing of the client's own identity", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  const switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi";
  extension.upgrade = (socket) => socket.write(switched);
  const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from("secret").toString("base64url")}`;
  const headers = {
    ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "eA==", "sec-websocket-version": "13" },
    ...{ "sec-websocket-protocol": `${bearer}, v5.channel.k8s.io`, "x-remote-user": "system:admin", authorization: "Bearer t" },
  };
  const request = { method: "GET", path: `${root}/boats`, query: "", headers, remoteAddress: "", http1: true };
  const reply = await api.server.handle(request, new Uint8Array(0));
  assert.equal(reply.status, 101);
  assert.equal(reply.body.kind, "tunnel");
  const [asked] = extension.asked;
  assert.equal(asked?.headers["sec-websocket-protocol"], "v5.channel.k8s.io");
  assert.equal(asked?.headers["x-remote-user"], "tester");
  assert.equal(asked?.headers.authorization, undefined);
  assert.equal(asked?.client, "api-server");
  // It ends with the server.
  await api.server.close();
  await waitUntil("the end of the connection", () => (extension.upgraded.every(({ destroyed }) => destroyed) ? true : undefined));
});

const places = [
  { externalName: "169.254.169.254", loopback: true },
  { externalName: "127.0.0.1", loopback: false },
  { externalName: "localhost", loopback: false },
  { externalName: "0.0.0.0", loopback: true },
];
for (const { externalName, loopback } of places)
  test(`no request goes to ${externalName}${loopback ? ", even where loopback is allowed" : ""}`, async (t) => {
    await using extension = await startExtensionServer();
    const api = await startApi({ kubelets: { loopback } });
    t.after(() => api.server.close());
    const spec = { type: "ExternalName", externalName };
    const made = await api.send("POST", "/api/v1/namespaces/default/services", { body: { metadata: { name: "boats" }, spec } });
    assert.equal(made.status, 201, made.text);
    const service = { namespace: "default", name: "boats", port: extension.port };
    const given = { group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true, service };
    await api.send("POST", apiServices, { body: { metadata: { name: `v1.${group}` }, spec: given } });
    const { reason, message } = await condition(api, ({ status }) => status === "False");
    assert.equal(reason, "FailedDiscoveryCheck");
    assert.match(message, /address not allowed$/);
    const body = { status: { conditions: [{ type: "Available", status: "True", reason: "Mine", message: "" }] } };
    await api.send("PATCH", `${apiServices}/v1.${group}/status`, { body, type: "application/merge-patch+json" });
    const { status } = await ask(api, "GET", `${root}/boats`);
    assert.equal(status, 503);
    assert.deepEqual(extension.asked, []);
  });

const listing = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

test("groups that the server lists, and no APIService gives it, are not in discovery", async (t) => {
  await using extension = await startExtensionServer();
  extension.discovery = (response) => {
    const resources = [{ resource: "secrets", scope: "Namespaced", verbs: ["get"] }];
    const items = [group, "other.example.com", "apps"].map((name) => ({ metadata: { name }, versions: [{ version: "v1", resources }] }));
    response.setHeader("content-type", listing).end(JSON.stringify({ kind: "APIGroupDiscoveryList", items }));
  };
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  const { items } = (await api.send("GET", "/apis", { accept: listing })).body;
  const found = new Map<string, { versions: { resources: { resource: string }[] }[] }>();
  for (const item of items) found.set(item.metadata.name, item);
  assert.deepEqual(found.get(group)?.versions[0]?.resources, [
    { resource: "secrets", scope: "Namespaced", verbs: ["get"], responseKind: { group: "", version: "", kind: "" } },
  ]);
  assert.equal(found.has("other.example.com"), false);
  assert.equal(
    found.get("apps")?.versions[0]?.resources.some(({ resource }) => resource === "secrets"),
    false,
  );
});

test("discovery without an end is given up", async (t) => {
  await using extension = await startExtensionServer();
  const ended = Promise.withResolvers<void>();
  extension.discovery = (response) => {
    response.setHeader("content-type", listing);
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more).on("close", () => ended.resolve());
    more();
  };
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await ended.promise;
  await available(api);
  const { items } = (await api.send("GET", "/apis", { accept: listing })).body;
  const { versions } = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === group);
  assert.deepEqual(versions, [{ version: "v1", freshness: "Stale" }]);
});
