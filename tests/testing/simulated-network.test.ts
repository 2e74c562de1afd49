/** Addresses of simulated Pods lead to the process that simulates them, and to no other. */

import assert from "node:assert/strict";
import net from "node:net";
import { after, afterEach, before, beforeEach, mock, test } from "node:test";
import { pods, services } from "@coxswain/client";
import type { SimulatedImages, SimulatedRequest } from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { servingCertificate, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const certificate = servingCertificate("secure.default.svc");
const asked: SimulatedRequest[] = [];

const images: SimulatedImages = {
  "web:*": () => ({
    http: async (request) => {
      asked.push(request);
      if (request.path === "/throws") throw new Error("it is broken");
      return { status: 201, body: `${request.method} ${request.path}`, headers: { "content-type": "text/x-test" } };
    },
  }),
  "webhook:*": () => ({ tls: certificate, http: ({ body }) => ({ status: 200, body: convert(body) }) }),
};

/** Names the version that is wanted, and changes nothing else. */
function convert(review: string): string {
  const { apiVersion, kind, request } = JSON.parse(review);
  const convertedObjects = request.objects.map((object: object) => ({ ...object, apiVersion: request.desiredAPIVersion }));
  return JSON.stringify({ apiVersion, kind, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } });
}

let cluster: TestCluster;
const owned = new AsyncDisposableStack();

before(async () => {
  cluster = owned.use(await startCluster({ clock: virtualClock({ autoAdvance: true }) }));
  await cluster.run({ controllers: true, scheduler: true, nodes: 1, images });
  for (const [name, image] of Object.entries({ web: "web:1", plain: "other:1", secure: "webhook:1" })) {
    const container = { name: "main", image, ports: [{ containerPort: 8443 }] };
    await cluster.client.resource(pods).create({ metadata: { name, labels: { app: name } }, spec: { containers: [container] } });
    const spec = { selector: { app: name }, ports: [{ name: "https", port: 443, targetPort: 8443 }] };
    await cluster.client.resource(services).create({ metadata: { name }, spec });
  }
  for (const name of ["web", "plain", "secure"]) await cluster.waitFor(pods, name, "condition=Ready", { timeoutMs: 600_000 });
  for (const name of ["web", "plain", "secure"]) await untilServed(name);
});
after(() => owned.disposeAsync());

/** Whatever opens a socket is an error here. */
beforeEach(() => {
  asked.length = 0;
  mock.method(net.Socket.prototype, "connect", (...to: unknown[]) => {
    throw new Error(`a connection leaves the process: ${JSON.stringify(to)}`);
  });
});
afterEach(() => mock.restoreAll());

async function send(method: "GET" | "POST" | "PUT", path: string, body?: object | string) {
  const json = typeof body === "object";
  const headers = { "content-type": json ? "application/json" : "text/plain", "x-custom": "kept" };
  const bytes = body === undefined ? {} : { body: Buffer.from(json ? JSON.stringify(body) : body) };
  const answer = await cluster.transport.send({ method, path, headers, ...bytes });
  return { status: answer.status, type: answer.headers["content-type"], text: Buffer.from(await answer.bytes()).toString() };
}

const namespace = "/api/v1/namespaces/default";

async function untilServed(name: string): Promise<void> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name%3D${name}`;
  await waitUntil(`${name} to be ready`, async () => (await send("GET", path)).text.includes('"ready":true'), {
    pause: () => cluster.advance({ seconds: 1 }),
  });
}

for (const place of ["pods/web", "pods/web:80", "services/web:https", "services/web:443"])
  test(`proxy of ${place} asks the function of its image`, async () => {
    const { status, type, text } = await send("POST", `${namespace}/${place}/proxy/a?b=c`, "body");
    assert.deepEqual({ status, type, text }, { status: 201, type: "text/x-test", text: "POST /a" });
    const [{ path, query, body, headers }] = asked as [SimulatedRequest];
    assert.deepEqual([path, query, body, headers["x-custom"]], ["/a", "b=c", "body", "kept"]);
  });

test("A function that throws is a server that fails", async () => {
  const { status, text } = await send("GET", `${namespace}/pods/web/proxy/throws`);
  assert.deepEqual([status, text], [500, "it is broken\n"]);
});

test("proxy with https asks a server with a certificate", async () => {
  const review = { request: { uid: "u", desiredAPIVersion: "v2", objects: [{ a: 1 }] } };
  const { status, text } = await send("POST", `${namespace}/pods/https:secure:8443/proxy/`, review);
  assert.deepEqual([status, JSON.parse(text).response.convertedObjects], [200, [{ a: 1, apiVersion: "v2" }]]);
});

for (const place of ["pods/plain", "pods/plain:80", "services/plain:443", "nodes/node-1:80"])
  test(`proxy of ${place}, where no function is, is refused with a sentence`, async () => {
    const { status, text } = await send("GET", `${place.startsWith("nodes") ? "/api/v1" : namespace}/${place}/proxy/`);
    const { message } = JSON.parse(text);
    assert.equal(status, 503);
    assert.match(message, /^error trying to reach service: dial tcp [\d.]+:\d+: connect: connection refused$/);
  });

const definition = (name: string, clientConfig: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}s.example.com` },
  spec: {
    group: "example.com",
    names: { plural: `${name}s`, singular: name, kind: name },
    scope: "Namespaced",
    versions: ["v1", "v2"].map((version) => ({
      name: version,
      served: true,
      storage: version === "v1",
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    })),
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
  },
});

const service = (name: string) => ({ service: { namespace: "default", name, path: "/convert" }, caBundle: certificate.caBundle });
const ipOf = async (name: string) => (await cluster.client.resource(pods).get(name)).status?.podIP ?? "";

async function readAtV2(name: string, clientConfig: object) {
  await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(name, clientConfig));
  await cluster.advance({ seconds: 10 });
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/${name}s`;
  const object = { apiVersion: "example.com/v1", kind: name, metadata: { name: "one" }, spec: { size: 3 } };
  assert.equal((await send("POST", path("v1"), object)).status, 201);
  return await send("GET", `${path("v2")}/one`);
}

test("A conversion webhook in a simulated Pod converts", async () => {
  const { status, text } = await readAtV2("room", service("secure"));
  const { apiVersion, spec } = JSON.parse(text);
  assert.deepEqual({ status, apiVersion, spec }, { status: 200, apiVersion: "example.com/v2", spec: { size: 3 } });
});

const failing = [
  {
    name: "hall",
    to: async () => service("plain"),
    message: /Post "https:\/\/plain\.default\.svc:443\/convert\?timeout=30s": dial tcp [\d.]+:8443: connect: connection refused$/,
  },
  {
    name: "attic",
    to: async () => ({ ...service("plain"), service: undefined, url: `https://${await ipOf("plain")}:99/` }),
    message: /dial tcp [\d.]+:99: connect: connection refused$/,
  },
];
for (const { name, to, message } of failing)
  test(`A conversion webhook of a ${name} where no function is fails with a sentence`, async () => {
    const { status, text } = await readAtV2(name, await to());
    assert.equal(status, 500);
    assert.match(JSON.parse(text).message, message);
  });
