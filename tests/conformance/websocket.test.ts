/** Watches over WebSocket, as browsers and some client libraries ask for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

const handshake = {
  connection: "keep-alive, Upgrade",
  upgrade: "websocket",
  origin: "https://example.com",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

interface Answered {
  readonly response: IncomingMessage;
  /** Undefined when the server stayed with HTTP. */
  readonly socket?: Socket;
  readonly first: Buffer;
}

async function ask(command: CommandUnderTest, path: string, headers: Readonly<Record<string, string | undefined>>): Promise<Answered> {
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1] ?? "", "base64");
  const given = Object.entries({ authorization: `Bearer ${command.token}`, ...handshake, ...headers });
  const set = Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
  const outgoing = request(command.server + path, { ca, agent: false, headers: set });
  outgoing.end();
  return new Promise((resolve, reject) => {
    outgoing.on("upgrade", (response, socket: Socket, first: Buffer) => resolve({ response, socket, first }));
    outgoing.on("response", (response) => resolve({ response, first: Buffer.alloc(0) }));
    outgoing.on("error", reject);
  });
}

async function command(t: TestContext): Promise<CommandUnderTest> {
  const started = await startCommand("--ephemeral");
  t.after(() => started.stop());
  return started;
}

const initialEvents = "allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan";
const ofOne = `${configMaps}?watch=1&fieldSelector=metadata.name%3Done&${initialEvents}`;

test("a watch over WebSocket sends a message for each event, answers pings, and closes with a code", async (t) => {
  const server = await command(t);
  const { response, socket, first } = await ask(server, `${ofOne}&timeoutSeconds=2`, { "sec-websocket-protocol": "v1.json" });
  assert.ok(socket);
  assert.deepEqual(
    [response.statusCode, response.headers["sec-websocket-accept"], response.headers["sec-websocket-protocol"]],
    [101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "v1.json"],
  );
  socket.write(Buffer.from([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
  let received = first;
  for await (const chunk of socket) received = Buffer.concat([received, chunk as Buffer]);
  const text = received.toString("latin1");
  assert.match(text, /\x81.{1,3}\{"type":"BOOKMARK",[^\n]*"k8s\.io\/initial-events-end":"true"[^\n]*\}\n/);
  assert.ok(text.includes("\x8a\x02hi"), "no pong");
  assert.ok(text.endsWith("\x88\x02\x03\xe8"), "no end");
});

test("in protobuf the messages are binary", async (t) => {
  const server = await command(t);
  const accept = "application/vnd.kubernetes.protobuf;stream=watch";
  const { socket, first } = await ask(server, `${ofOne}&timeoutSeconds=1`, { accept });
  assert.ok(socket);
  let received = first;
  for await (const chunk of socket) received = Buffer.concat([received, chunk as Buffer]);
  assert.equal(received[0], 0x82);
  assert.match(received.toString("latin1"), /BOOKMARK/);
});

test("a close frame is answered with a close frame", async (t) => {
  const { socket, first } = await ask(await command(t), `${configMaps}?watch=1&resourceVersion=0`, {});
  assert.ok(socket);
  socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 3, 0xe8]));
  let received = first;
  for await (const chunk of socket) received = Buffer.concat([received, chunk as Buffer]);
  assert.ok(received.toString("latin1").endsWith("\x88\x02\x03\xe8"));
});

const token = (text: string) => `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString("base64url")}`;
const others = [
  { name: "without an origin", headers: { origin: undefined }, status: 403 },
  { name: "without a key", headers: { "sec-websocket-key": undefined }, status: 400 },
  { name: "of another version", headers: { "sec-websocket-version": "8" }, status: 400 },
  { name: "with two subprotocols", headers: { "sec-websocket-protocol": "a, b" }, status: 400 },
  { name: "without credentials", headers: { authorization: undefined }, status: 401 },
  { name: "with a wrong token", headers: { authorization: "Bearer wrong" }, status: 401 },
  {
    name: "with the token as a subprotocol",
    headers: { authorization: undefined, "sec-websocket-protocol": `a, ${token("conformance")}` },
    status: 101,
  },
  { name: "for something other", headers: { upgrade: "h2c" }, status: 200 },
];

test("what comes of a request to upgrade a watch", async (t) => {
  const server = await command(t);
  for (const { name, headers, status } of others) {
    const { response, socket } = await ask(server, `${configMaps}?watch=1`, headers);
    assert.equal(response.statusCode, status, name);
    socket?.destroy();
    response.destroy();
  }
  const { response } = await ask(server, configMaps, {});
  assert.equal(response.statusCode, 200, "a list is a list");
  response.resume();
  await once(response, "close");
  assert.equal(await server.stop(), 0);
});
