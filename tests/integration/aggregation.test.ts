/** APIServices with a Service: requests go on to the server there, and discovery lists what it serves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { startApi } from "./api.ts";
import {
  apiServices,
  ask,
  available,
  condition,
  group,
  register,
  root,
  startAggregated,
  startExtensionServer,
  untilChecked,
} from "./extension-server.ts";

const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

test("requests go on to the server of the APIService, with the user in headers and the server's certificate", async (t) => {
  await using extension = await startExtensionServer();
  const user = { name: "jürgen", uid: "u-1", groups: ["a", "b,c"], extra: { "example.com/scope": ["x", "y"] } };
  const users = { rights: { kind: "authenticated" as const, user: { ...user, groups: [...user.groups, "system:masters"] } } };
  const api = await startAggregated(extension, { authenticators: [() => users.rights] });
  t.after(() => api.server.close());
  await available(api);
  const sent = {
    body: { kind: "Boat" },
    headers: { authorization: "Bearer t", "content-type": "application/json", "audit-id": "audit-1" },
  };
  const answer = await ask(api, "POST", `${root}/namespaces/default/boats?fieldManager=me&dryRun=All`, sent);
  assert.deepEqual([answer.status, answer.type], [200, "application/json"]);
  const url = `${root}/namespaces/default/boats?fieldManager=me&dryRun=All`;
  assert.deepEqual(answer.body, { method: "POST", url });
  const [asked] = extension.asked;
  assert.ok(asked);
  assert.deepEqual([asked.client, asked.serverName, asked.body], ["api-server", "boats.default.svc", '{"kind":"Boat"}']);
  const named = (name: string) => asked.rawHeaders.flatMap((one, at) => (at % 2 === 0 && one === name ? [asked.rawHeaders[at + 1]] : []));
  assert.deepEqual(named("x-remote-user"), [Buffer.from("jürgen").toString("latin1")]);
  assert.deepEqual(named("x-remote-uid"), ["u-1"]);
  assert.deepEqual(named("x-remote-group"), ["a", "b,c", "system:masters"]);
  assert.deepEqual(named("x-remote-extra-example.com%2Fscope"), ["x", "y"]);
  assert.deepEqual(named("authorization"), []);
  assert.deepEqual([named("audit-id"), named("x-forwarded-for")], [["audit-1"], ["192.0.2.7"]]);
});

test("what such a server serves is in discovery, in both forms", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  const groups = (await api.send("GET", "/apis")).body.groups.map(({ name }: { name: string }) => name);
  assert.equal(groups[0], "apiregistration.k8s.io");
  assert.ok(groups.includes(group));
  const version = { groupVersion: `${group}/v1`, version: "v1" };
  assert.deepEqual((await api.send("GET", `/apis/${group}`)).body, {
    ...{ kind: "APIGroup", apiVersion: "v1", name: group },
    ...{ versions: [version], preferredVersion: version },
  });
  const entryOf = async () =>
    (await api.send("GET", "/apis", { accept: aggregatedDiscovery })).body.items.find(
      ({ metadata }: { metadata: { name: string } }) => metadata.name === group,
    );
  const responseKind = { group: "", version: "", kind: "Boat" };
  const boats = {
    resource: "boats",
    responseKind,
    scope: "Namespaced",
    singularResource: "boat",
    verbs: ["get", "list"],
    shortNames: ["bo"],
  };
  const resources = [{ ...boats, subresources: [{ subresource: "status", responseKind, verbs: ["get"] }] }];
  assert.deepEqual(await entryOf(), { metadata: { name: group }, versions: [{ version: "v1", resources, freshness: "Current" }] });
  // It goes down, and discovery answers as quickly.
  extension.isWell = false;
  await untilChecked(api, 30_000);
  const failed = await condition(api, ({ status }) => status === "False");
  assert.equal(failed.reason, "FailedDiscoveryCheck");
  const url = `https://127.0.0.1:${extension.port}${root}`;
  assert.equal(failed.message, `failing or missing response from ${url}: bad status from ${url}: 500`);
  assert.deepEqual(await entryOf(), { metadata: { name: group }, versions: [{ version: "v1", freshness: "Stale" }] });
  const { status, text, headers } = await ask(api, "GET", `${root}/boats`);
  assert.deepEqual([status, text, headers["x-content-type-options"]], [503, "service unavailable\n", "nosniff"]);
  const metrics = async () => (await api.send("GET", "/metrics")).text;
  assert.match(await metrics(), new RegExp(`^aggregator_unavailable_apiservice\\{name="v1\\.${group}"\\} 1$`, "m"));
  assert.match(await metrics(), /^aggregator_unavailable_apiservice_total\{name="v1\..*",reason="FailedDiscoveryCheck"\} 1$/m);
  // And up again.
  extension.isWell = true;
  await untilChecked(api, 250);
  await available(api);
  assert.match(await metrics(), new RegExp(`^aggregator_unavailable_apiservice\\{name="v1\\.${group}"\\} 0$`, "m"));
  assert.equal((await ask(api, "GET", `${root}/boats`)).status, 200);
  await api.send("DELETE", `${apiServices}/v1.${group}`);
  assert.equal(await entryOf(), undefined);
  assert.equal((await api.send("GET", `${root}/boats`)).status, 404);
});

const slice = (name: string, endpoints: object[], ports: object[]) => ({
  ...{ metadata: { name: `${name}-1`, labels: { "kubernetes.io/service-name": name } }, addressType: "IPv4" },
  ...{ endpoints, ports },
});

test("the condition Available says step by step what is missing", async (t) => {
  const api = await startApi();
  t.after(() => api.server.close());
  const service = { namespace: "default", name: "boats" };
  const spec = { group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true, service };
  await api.send("POST", apiServices, { body: { metadata: { name: `v1.${group}` }, spec } });
  const because = (reason: string) => condition(api, (found) => found.reason === reason);
  const missing = await because("ServiceNotFound");
  assert.deepEqual([missing.status, missing.message], ["False", 'service/boats in "default" is not present']);
  const ports = [{ name: "web", port: 8443 }];
  const made = await api.send("POST", "/api/v1/namespaces/default/services", { body: { metadata: { name: "boats" }, spec: { ports } } });
  assert.equal(made.status, 201, made.text);
  const noPort = await because("ServicePortError");
  assert.equal(noPort.message, 'service/boats in "default" is not listening on port 443');
  assert.equal(noPort.lastTransitionTime, missing.lastTransitionTime);
  await api.send("PATCH", "/api/v1/namespaces/default/services/boats", {
    body: { spec: { ports: [{ name: "web", port: 443 }] } },
    type: "application/merge-patch+json",
  });
  assert.equal((await because("EndpointsNotFound")).message, 'cannot find endpointslices for service/boats in "default"');
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  const address = { addresses: ["192.0.2.1"], conditions: { ready: true } };
  const other = await api.send("POST", slices, { body: slice("boats", [address], [{ name: "other", port: 1 }]) });
  assert.equal(other.status, 201, other.text);
  const noEndpoints = await because("MissingEndpoints");
  assert.equal(noEndpoints.message, 'endpointslices for service/boats in "default" have no addresses with port name "web"');
});

test("a server that does not answer at first is asked again soon, however long it was missing", async (t) => {
  await using extension = await startExtensionServer();
  extension.isWell = false;
  const api = await startApi({ kubelets: { loopback: true } });
  t.after(() => api.server.close());
  const because = (reason: string) => condition(api, (found) => found.reason === reason);
  const services = "/api/v1/namespaces/default/services";
  const { port, caBundle } = extension;
  const spec = { group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, caBundle };
  const service = { namespace: "default", name: "boats", port };
  await api.send("POST", apiServices, { body: { metadata: { name: `v1.${group}` }, spec: { ...spec, service } } });
  for (let times = 0; times < 8; times++) {
    await because("ServiceNotFound");
    await api.send("POST", services, { body: { metadata: { name: "boats" }, spec: { ports: [{ port }] } } });
    await because("EndpointsNotFound");
    await api.send("DELETE", `${services}/boats`);
  }
  const external = { type: "ExternalName", externalName: "127.0.0.1" };
  await api.send("POST", services, { body: { metadata: { name: "boats" }, spec: external } });
  await because("FailedDiscoveryCheck");
  extension.isWell = true;
  await untilChecked(api, 250);
  await available(api);
});

test("an APIService that no Service stands behind any more is local again", async (t) => {
  const api = await startApi();
  t.after(() => api.server.close());
  const service = { namespace: "default", name: "boats" };
  const spec = { group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true, service };
  await api.send("POST", apiServices, { body: { metadata: { name: `v1.${group}` }, spec } });
  await condition(api, ({ reason }) => reason === "ServiceNotFound");
  const type = "application/merge-patch+json";
  const body = { spec: { service: null, insecureSkipTLSVerify: null } };
  const patched = await api.send("PATCH", `${apiServices}/v1.${group}`, { body, type });
  assert.equal(patched.status, 200, patched.text);
  const { status, message } = await condition(api, ({ reason }) => reason === "Local");
  assert.deepEqual([status, message], ["True", "Local APIServices are always available"]);
});

test("a client's own word for the condition is put right", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  const body = { status: { conditions: [{ type: "Available", status: "False", reason: "Mine", message: "" }] } };
  const type = "application/merge-patch+json";
  assert.equal((await api.send("PATCH", `${apiServices}/v1.${group}/status`, { body, type })).status, 200);
  // Where servers share a state, with the next check only: another server may have found otherwise.
  if (api.store.freshen !== undefined) await untilChecked(api, 30_000);
  assert.equal((await condition(api, ({ reason }) => reason === "Passed")).message, "all checks passed");
});

test("a certificate of another authority, or of another name, is not believed", async (t) => {
  await using extension = await startExtensionServer();
  await using other = await startExtensionServer();
  const api = await startApi({ kubelets: { loopback: true } });
  t.after(() => api.server.close());
  await register(api, { port: extension.port, caBundle: other.caBundle });
  const { reason, message } = await condition(api, ({ status }) => status === "False");
  assert.equal(reason, "FailedDiscoveryCheck");
  assert.match(message, /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/);
  const type = "application/merge-patch+json";
  await api.send("PATCH", `${apiServices}/v1.${group}`, { body: { spec: { caBundle: null, insecureSkipTLSVerify: true } }, type });
  await available(api);
});

test("watches and long answers are passed on as they come", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  let send: ((line: object) => void) | undefined;
  extension.answer = (response) => {
    response.flushHeaders();
    send = (line) => response.write(`${JSON.stringify(line)}\n`);
  };
  const watch = await api.watch(`${root}/boats?watch=true`);
  assert.equal(watch.status, 200);
  // No deadline counts for it.
  api.clock.advance(3_600_000);
  send?.({ type: "ADDED", object: { kind: "Boat" } });
  await waitUntil("the event", () => (watch.events.length === 1 ? true : undefined));
  assert.equal(watch.ended, false);
  watch.leave();
});

test("an answer that does not begin in time is given up", async (t) => {
  await using extension = await startExtensionServer();
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  const begun = Promise.withResolvers<void>();
  extension.answer = () => begun.resolve();
  const answer = ask(api, "GET", `${root}/boats`);
  await begun.promise;
  api.clock.advance(60_000);
  const { status, text } = await answer;
  assert.deepEqual([status, text], [503, "error trying to reach service: context deadline exceeded\n"]);
});

test("what such a server says in OpenAPI is part of the server's own documents", async (t) => {
  await using extension = await startExtensionServer();
  const users: unknown[] = [];
  const boat = { type: "object", description: "A boat." };
  const documents: Readonly<Record<string, object>> = {
    "/openapi/v3": {
      paths: {
        [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=ABC1` },
        "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=EVIL" },
      },
    },
    [`/openapi/v3/apis/${group}/v1`]: { openapi: "3.0.0", components: { schemas: { "com.example.Boat": boat } } },
    "/openapi/v2": {
      paths: { [`${root}/boats`]: { get: { schema: { $ref: "#/definitions/com.example.Boat" } } }, "/apis/apps/v1/boats": { get: {} } },
      definitions: { "com.example.Boat": boat },
    },
  };
  extension.openapi = (response, { url, headers }) => {
    users.push([headers["x-remote-user"], headers["x-remote-group"]]);
    const document = documents[url];
    if (document === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(document));
  };
  const api = await startAggregated(extension);
  t.after(() => api.server.close());
  await available(api);
  const { paths } = (await api.send("GET", "/openapi/v3")).body;
  assert.equal(paths[`apis/${group}/v1`].serverRelativeURL, `/openapi/v3/apis/${group}/v1?hash=ABC1`);
  assert.doesNotMatch(paths["apis/apps/v1"].serverRelativeURL, /EVIL/);
  const v3 = await api.send("GET", `/openapi/v3/apis/${group}/v1?hash=ABC1`);
  assert.deepEqual([v3.status, v3.headers.etag, v3.body.components.schemas["com.example.Boat"]], [200, '"ABC1"', boat]);
  const v2 = (await api.send("GET", "/openapi/v2")).body;
  assert.deepEqual(v2.definitions["com.example.Boat"], boat);
  assert.deepEqual([`${root}/boats` in v2.paths, "/apis/apps/v1/boats" in v2.paths], [true, false]);
  assert.deepEqual(users[0], ["system:aggregator", undefined]);
  // What is known while it is down stays known; what goes with the APIService does not.
  extension.isWell = false;
  await untilChecked(api, 30_000);
  await condition(api, ({ status }) => status === "False");
  assert.equal(
    (await api.send("GET", `/openapi/v3/apis/${group}/v1`, { accept: "application/com.github.proto-openapi.spec.v3.v1.0+protobuf" }))
      .status,
    503,
  );
  await api.send("DELETE", `${apiServices}/v1.${group}`);
  assert.equal((await api.send("GET", "/openapi/v3")).body.paths[`apis/${group}/v1`], undefined);
});
