/** Requests that the API server passes on: to Pods, Services and the kubelet itself. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { ConnectionError, clusterRoleBindings, clusterRoles, endpoints, services } from "@coxswain/client";
import WebSocket, { WebSocketServer } from "ws";
import { type NodeUnderTest, startNode } from "./start-node.ts";

let node: NodeUnderTest;
let backend: Server;
let port: number;
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];

/** Endpoints have none that leads back to whoever asks. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const addressed = { skip: address === undefined ? "this machine has only loopback addresses" : false };

before(async () => {
  backend = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    seen.push({ method: req.method!, url: req.url!, headers: req.headers, body: Buffer.concat(chunks).toString() });
    if (req.url === "/away") res.writeHead(302, { location: "/there?x=1" });
    else if (req.url === "/elsewhere") res.writeHead(302, { location: "http://example.com/" });
    else if (req.url === "/page") res.writeHead(200, { "content-type": "text/html; charset=utf-8" }).write(link("/a"));
    else if (req.url === "/zipped") {
      const bytes = gzipSync(link("/a"));
      res.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip", "content-length": bytes.length });
      return void res.end(bytes);
    } else if (req.url === "/big") return void res.end(Buffer.alloc(8 * 1024 * 1024, "x"));
    else if (req.url === "/broken") return void res.write("half", () => res.destroy());
    else res.writeHead(201, { "content-type": "text/x-test", "set-cookie": ["a=1", "b=2"] });
    res.end("answer");
  });
  const sockets = new WebSocketServer({ server: backend });
  sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(`echo ${data}`)));
  backend.listen(0);
  await once(backend, "listening");
  port = (backend.address() as AddressInfo).port;
  node = await startNode({ declaredPort: port, ...(address === undefined ? {} : { podIp: address }) });
  if (address !== undefined) await seedServices(address);
});
after(async () => {
  backend.closeAllConnections();
  backend.close();
  await node[Symbol.asyncDispose]();
});

/** One has the Pod's port, one another Pod's address that it does not have. */
async function seedServices(ip: string): Promise<void> {
  const pod = { kind: "Pod", name: "web", namespace: "default" };
  const ports = [{ name: "http", port }];
  const given = [
    { name: "svc", address: { ip, targetRef: pod } },
    { name: "lies", address: { ip: "10.0.0.9", targetRef: pod } },
  ];
  for (const { name, address } of given) {
    const spec = {
      ports: [
        { name: "http", port: 80 },
        { name: "none", port: 81 },
      ],
    };
    await node.client.resource(services).create({ metadata: { name }, spec });
    await node.client.resource(endpoints).create({ metadata: { name }, subsets: [{ addresses: [address], ports }] });
  }
}

const link = (path: string): string => `<a href="${path}">`;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

async function ask(path: string, method: Method = "GET", body = ""): Promise<Answer> {
  const headers = { cookie: "c=1", "x-custom": "kept", authorization: `Bearer ${node.token}` };
  const answer = await node.client.transport.send({ method, path: `/api/v1/${path}`, headers, body: Buffer.from(body) });
  return { status: answer.status, headers: answer.headers, text: Buffer.from(await answer.bytes()).toString() };
}

const pods = "namespaces/default/pods";
const reaching = [
  { name: "a Pod's first port", path: () => `${pods}/web/proxy/a/b?c=d` },
  { name: "a port by its number", path: () => `${pods}/web:${port}/proxy/a/b?c=d` },
  { name: "a scheme", path: () => `${pods}/http:web:${port}/proxy/a/b?c=d` },
  { name: "a Service by the name of its port", path: () => "namespaces/default/services/svc:http/proxy/a/b?c=d" },
  { name: "a Service by its port", path: () => "namespaces/default/services/svc:80/proxy/a/b?c=d" },
];
for (const { name, path } of reaching) {
  test(`the proxy reaches ${name} without the client's credentials`, name.includes("Service") ? addressed : {}, async () => {
    seen.length = 0;
    const { status, text, headers } = await ask(path(), "POST", "body");
    assert.deepEqual({ status, text }, { status: 201, text: "answer" });
    assert.equal(headers["content-type"], "text/x-test");
    const [{ method, url, body, headers: sent }] = seen as [(typeof seen)[number]];
    assert.deepEqual({ method, url, body }, { method: "POST", url: "/a/b?c=d", body: "body" });
    assert.equal(sent.authorization, undefined);
    assert.deepEqual([sent["x-custom"], sent["x-forwarded-for"]], ["kept", "127.0.0.1"]);
  });
}

const refusals = [
  { path: () => `${pods}/web:x/proxy/`, status: 400, message: 'invalid port "x"' },
  { path: () => `${pods}/ftp:web:80/proxy/`, status: 400, message: 'invalid pod request "ftp:web:80"' },
  { path: () => "nodes/node-1:2379/proxy/", status: 400, message: "address not allowed" },
  { path: () => "nodes/none/proxy/", status: 404, message: 'nodes "none" not found' },
  { path: () => "namespaces/default/services/svc:9/proxy/", status: 503, message: 'no service port 9 found for service "svc"' },
  { path: () => "namespaces/default/services/svc:none/proxy/", status: 503, message: 'no endpoints available for service "svc:none"' },
  { path: () => "namespaces/default/services/lies:http/proxy/", status: 503, message: 'no endpoints available for service "lies:http"' },
];
for (const { path, status, message } of refusals) {
  test(`${path()} is refused`, path().includes("services") ? addressed : {}, async () => {
    const answer = await ask(path());
    assert.deepEqual({ status: answer.status, message: JSON.parse(answer.text).message }, { status, message });
  });
}

test("nothing after /proxy becomes a slash, and redirects stay behind the proxy", async () => {
  const bare = await ask(`${pods}/web/proxy?x=y`);
  assert.deepEqual([bare.status, bare.headers.location], [301, `/api/v1/${pods}/web/proxy/?x=y`]);
  assert.equal((await ask(`${pods}/web/proxy/away`)).headers.location, `/api/v1/${pods}/web/proxy/there?x=1`);
  assert.equal((await ask(`${pods}/web/proxy/elsewhere`)).headers.location, "http://example.com/");
});

test("links in pages stay behind the proxy, zipped ones too", async () => {
  const through = link(`/api/v1/${pods}/web/proxy/a`);
  assert.equal((await ask(`${pods}/web/proxy/page`)).text, `${through}answer`);
  const { text, headers } = await fromHttps("GET", `${pods}/web/proxy/zipped`);
  assert.equal(headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(text).toString(), through);
});

for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
  test(`${method} of nothing behind the proxy is passed on`, async () => {
    seen.length = 0;
    assert.equal((await ask(`${pods}/web/proxy`, method)).status, 201);
    assert.deepEqual(
      seen.map(({ method: sent, url }) => `${sent} ${url}`),
      [`${method} /`],
    );
  });

for (const method of ["HEAD", "OPTIONS"] as const)
  test(`${method} is passed on`, async () => {
    seen.length = 0;
    const { status, headers, text } = await fromHttps(method, `${pods}/web/proxy/x`);
    assert.deepEqual([status, headers["content-type"], String(text)], [201, "text/x-test", method === "HEAD" ? "" : "answer"]);
    assert.deepEqual(
      seen.map(({ method: sent, url }) => `${sent} ${url}`),
      [`${method} /x`],
    );
    const bare = await fromHttps(method, `${pods}/web/proxy`);
    assert.deepEqual([bare.status, bare.headers.location], method === "HEAD" ? [301, `/api/v1/${pods}/web/proxy/`] : [201, undefined]);
  });

async function fromHttps(method: string, path: string) {
  const headers = { authorization: `Bearer ${node.token}`, "accept-encoding": "gzip" };
  const asked = request(`${node.server}/api/v1/${path}`, { method, ca: node.authority.cert, headers, agent: false });
  asked.end();
  const [response] = await once(asked, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks) };
}

test("paths are cleaned, and stay encoded", async () => {
  seen.length = 0;
  await ask(`${pods}/web/proxy/a%20b/../c%3Fd/`);
  assert.equal(seen[0]?.url, "/c%3Fd/");
});

test("long answers come whole, broken ones break", async () => {
  assert.equal((await ask(`${pods}/web/proxy/big`)).text.length, 8 * 1024 * 1024);
  await assert.rejects(ask(`${pods}/web/proxy/broken`), ConnectionError);
});

test("the proxy reports an unreachable Pod, and a port that a local Pod does not serve", async () => {
  await using gone = await startNode({ declaredPort: 1 });
  const said = async (name: string) => {
    const answer = await gone.client.transport.send({ method: "GET", path: `/api/v1/${pods}/${name}/proxy/`, headers: {} });
    const { code, message } = JSON.parse(Buffer.from(await answer.bytes()).toString());
    return [code, message];
  };
  assert.deepEqual(await said("web"), [503, "error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused"]);
  assert.deepEqual(await said("web:2379"), [400, "address not allowed"]);
});

test("a WebSocket goes through", async () => {
  const url = `${node.server.replace("https", "wss")}/api/v1/${pods}/web/proxy/socket`;
  const socket = new WebSocket(url, { ca: node.authority.cert, headers: { authorization: `Bearer ${node.token}` } });
  await once(socket, "open");
  socket.send("hi");
  const [data] = await once(socket, "message");
  assert.equal(String(data), "echo hi");
  socket.close();
  await once(socket, "close");
});

test("a connection to a Node's kubelet takes the right to create, whatever the method of its request", async () => {
  const group = { apiVersion: "rbac.authorization.k8s.io/v1" };
  await node.client
    .resource(clusterRoles)
    .create({ ...group, metadata: { name: "proxy" }, rules: [{ apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] }] });
  await node.client.resource(clusterRoleBindings).create({
    ...group,
    metadata: { name: "proxy" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "proxy" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "watcher" }],
  });
  const headers = { authorization: `Bearer ${node.token}`, "impersonate-user": "watcher" };
  const answer = await node.client.transport.send({ method: "GET", path: "/api/v1/nodes/node-1/proxy/healthz", headers });
  assert.equal(Buffer.from(await answer.bytes()).toString(), "ok");
  const url = `${node.server.replace("https", "wss")}/api/v1/nodes/node-1/proxy/exec/default/web/app?command=id`;
  const socket = new WebSocket(url, { ca: node.authority.cert, headers });
  const [error] = await once(socket, "error");
  assert.equal(error.message, "Unexpected server response: 403");
});

test("the kubelet's own answers, as the API server gets them", async () => {
  assert.equal((await ask("nodes/node-1/proxy/healthz")).text, "ok");
  const summary = JSON.parse((await ask("nodes/node-1/proxy/stats/summary")).text);
  assert.equal(summary.node.nodeName, "node-1");
  assert.deepEqual(summary.pods[0].podRef.name, "web");
  assert.equal(summary.pods[0].containers[0].cpu.time, "1970-01-01T00:01:00Z");
  assert.match(
    (await ask("nodes/node-1/proxy/metrics/resource")).text,
    /^container_cpu_usage_seconds_total\{container="main",namespace="default",pod="web"\} 30 60000$/m,
  );
  assert.equal(JSON.parse((await ask("nodes/node-1/proxy/pods")).text).items[0].metadata.name, "web");
});

test("connections to a kubelet are kept", async (t) => {
  const { mock } = t.mock.method(Agent.prototype, "createConnection");
  for (let i = 0; i < 5; i++) await ask("nodes/node-1/proxy/metrics/resource");
  assert.ok(mock.callCount() <= 1, `${mock.callCount()} connections`);
});

const untrusted = [
  { name: "without a certificate", pair: () => ({}), status: 401 },
  {
    name: "with a certificate of the cluster that is no administrator's",
    pair: () => node.authority.clientNamed("system:node:node-1"),
    status: 403,
  },
  { name: "with the serving certificate", pair: () => node.authority.serving, status: 401 },
];
for (const { name, pair, status } of untrusted) {
  test(`the kubelet refuses a request ${name}`, async () => {
    for (const path of ["/pods", "/exec/default/web/main?command=id&output=1", "/containerLogs/default/web/main"]) {
      const asked = request({ host: "127.0.0.1", port: node.kubeletPort, path, ca: node.authority.cert, agent: false, ...pair() });
      asked.end();
      const [response] = await once(asked, "response");
      assert.equal(response.statusCode, status);
      response.destroy();
    }
  });
}
