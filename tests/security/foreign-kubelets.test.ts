/** What a Node says of its kubelet's address is that Node's word alone: the certificate there must be for it, and no answer leads on. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { makeAuthority, type Pair } from "../client/transport-server.ts";
import { type NodeUnderTest, startNode } from "../kubelet/streams/start-node.ts";

let node: NodeUnderTest;
const servers: Server[] = [];
/** Requests that the impostor has got. */
let asked: string[] = [];

before(async () => {
  node = await startNode();
});
after(async () => {
  for (const server of servers) server.close();
  await node[Symbol.asyncDispose]();
});

/** A server in the place of the kubelet, whose Node says that it is there. */
async function impostor(
  { cert, key }: Pair,
  { location, address = "127.0.0.1" }: { location?: string; address?: string } = {},
): Promise<void> {
  asked = [];
  const server = createServer({ cert, key }, (req, res) => {
    asked.push(`${req.method} ${req.url}`);
    if (location === undefined) res.end("answer of the impostor");
    else res.writeHead(302, { location }).end();
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const status = { addresses: [{ type: "InternalIP", address }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  const { status: code } = await send("PATCH", "/api/v1/nodes/node-1/status", { status });
  assert.equal(code, 200);
}

async function send(method: "GET" | "PATCH", path: string, body?: object): Promise<{ status: number; text: string }> {
  const answer = await node.client.transport.send({
    method,
    path,
    headers: { authorization: `Bearer ${node.token}`, "content-type": "application/merge-patch+json" },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
  });
  return { status: answer.status, text: Buffer.from(await answer.bytes()).toString() };
}

const logs = "/api/v1/namespaces/default/pods/web/log?container=main";
const proxied = "/api/v1/nodes/node-1/proxy/pods";

test("a kubelet whose certificate is for its address is asked", async () => {
  await impostor(node.authority.serving);
  assert.deepEqual(await send("GET", logs), { status: 200, text: "answer of the impostor" });
  assert.equal(asked.length, 1);
});

for (const path of [logs, proxied]) {
  test(`${path}: a server of another authority at a node's address gets no request`, async () => {
    await impostor(makeAuthority("other").serving);
    const { status, text } = await send("GET", path);
    assert.ok(status >= 500, `${status}: ${text}`);
    assert.deepEqual(asked, []);
  });

  test(`${path}: a server whose certificate is for another address gets no request`, async () => {
    await impostor(node.authority.clientNamed("node-1", []));
    const { status, text } = await send("GET", path);
    assert.ok(status >= 500, `${status}: ${text}`);
    assert.deepEqual(asked, []);
  });

  for (const address of ["169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1"])
    test(`${path}: a node at ${address} is not asked`, async () => {
      await impostor(node.authority.serving, { address });
      const { status, text } = await send("GET", path);
      assert.match(`${status} ${text}`, /^(400|5\d\d) .*address not allowed/s);
      assert.deepEqual(asked, []);
    });
}

test("where the certificate need not be checked, only the log of a container is read, with the right to it", async () => {
  await impostor(makeAuthority("other").serving);
  assert.equal((await send("GET", `${logs}&insecureSkipTLSVerifyBackend=true`)).status, 200);
  assert.deepEqual(
    asked.map((one) => one.split("?")[0]),
    ["GET /containerLogs/default/web/main"],
  );
});

test("a redirect of a kubelet is not followed for logs", async () => {
  await impostor(node.authority.serving, { location: `https://127.0.0.1:${node.kubeletPort}/pods` });
  const { status, text } = await send("GET", logs);
  assert.equal(status, 500);
  assert.match(text, /redirects forbidden/);
  assert.equal(asked.length, 1);
});

test("a redirect of a kubelet behind its proxy is shown to the client, and not followed", async () => {
  await impostor(node.authority.serving, { location: "https://169.254.169.254/latest" });
  const { status, text } = await send("GET", proxied);
  assert.equal(status, 302, text);
  assert.deepEqual(asked, ["GET /pods"]);
});
