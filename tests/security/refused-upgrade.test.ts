/**
 * A connection whose upgrade was refused is no tunnel: what a client sends behind it reaches neither the kubelet nor a Pod with the
 * API server's rights.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { hangMs } from "@coxswain/machinery/testing";
import { type NodeUnderTest, startNode } from "../kubelet/streams/start-node.ts";

let node: NodeUnderTest;
let backend: Server;
/** What has come to the backend, connection by connection. */
const came: string[] = [];
let answer = "";

before(async () => {
  backend = createServer((socket: Socket) => {
    const at = came.push("") - 1;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const isFirst = came[at] === "";
      came[at] += chunk.toString("latin1");
      if (isFirst) socket.write(answer);
    });
  });
  backend.listen(0);
  await once(backend, "listening");
  node = await startNode({ declaredPort: (backend.address() as AddressInfo).port });
});
after(async () => {
  backend.close();
  await node[Symbol.asyncDispose]();
});

const second = "GET /second HTTP/1.1\r\nHost: x\r\n\r\n";

/** Asks for an upgrade, and sends another request on the same connection as soon as there is an answer; what came until its end. */
async function upgradeAndMore(path: string, more = second, protocol = "websocket"): Promise<string> {
  const { hostname: host, port } = new URL(node.server);
  const socket = connect({ host, port: Number(port), ca: node.authority.cert, ALPNProtocols: ["http/1.1"] });
  await once(socket, "secureConnect");
  const lines = [
    `GET ${path} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${node.token}`,
    "Connection: Upgrade",
    `Upgrade: ${protocol}`,
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let text = "";
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    if (text === "") socket.write(more);
    text += chunk.toString("latin1");
  });
  await once(socket, "close", { signal: AbortSignal.timeout(hangMs) });
  return text;
}

const proxied = "/api/v1/namespaces/default/pods/web/proxy/socket";

const refusals: readonly { name: string; answer: string; expect: RegExp }[] = [
  { name: "refuses it", answer: "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", expect: /^HTTP\/1\.1 403 / },
  {
    name: "answers as if there were none",
    answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    expect: /^HTTP\/1\.1 (200|500|502|503) /,
  },
  {
    name: "sends on",
    answer: "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
    expect: /^HTTP\/1\.1 (302|500|502|503) /,
  },
  {
    name: "answers with an error without end",
    answer: "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
    expect: /^HTTP\/1\.1 500 /,
  },
];

test("a refused upgrade to a protocol that the server does not know ends the connection, too", async () => {
  came.length = 0;
  answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
  const text = await upgradeAndMore(proxied, second, "h2c");
  assert.match(text, /^HTTP\/1\.1 403 /);
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, "the second request was answered too");
  assert.equal(came.length, 1);
});

for (const { name, answer: given, expect } of refusals)
  test(`where the backend of an upgrade ${name}, the connection ends, and nothing more comes to the backend`, async () => {
    came.length = 0;
    answer = given;
    const text = await upgradeAndMore(proxied);
    assert.match(text, expect);
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, "the second request was answered too");
    assert.equal(came.length, 1);
    assert.ok(came[0]?.includes("/second") === false, String(came[0]));
  });

test("where the kubelet refuses a command, the connection ends", async () => {
  const text = await upgradeAndMore("/api/v1/namespaces/default/pods/web/exec?command=id&container=none&stdout=true");
  assert.match(text, /^HTTP\/1\.1 (400|404|500) /);
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
});

test("an upgrade that is taken does become a tunnel, through which such a request would have come", async () => {
  came.length = 0;
  answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  const closing = upgradeAndMore(proxied);
  const { promise, resolve } = Promise.withResolvers<void>();
  backend.once("connection", (socket: Socket) =>
    socket.on("data", () => {
      if (came[0]?.includes("/second") !== true) return;
      socket.destroy();
      resolve();
    }),
  );
  await promise;
  assert.match(String(await closing), /^HTTP\/1\.1 101 /);
});
