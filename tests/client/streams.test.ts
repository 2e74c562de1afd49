/** The transport's WebSockets against a real server, over TLS: it has no containers to run anything in, but watches. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, type Credential, type Credentials, createClient, isNotFound, isUnauthorized, podExec } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { parseJson, systemClock, systemRandom } from "@coxswain/machinery";
import { relay, serve, trusted } from "./transport-server.ts";

const watch = "/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Ddefault";
const protocols = ["v1.json"];
const as = (credential: Credential): Credentials => ({ current: () => Promise.resolve(credential) });
const admin = as({ authorization: "Bearer admin" });

// Watches, and nothing else, are given only to who says from which page it asks.
const headers = { origin: "https://test" };
const open = (server: string, credentials = admin) =>
  http2Transport({ server, clock: systemClock, tls: { ca: trusted.cert }, credentials, headers });

test("a WebSocket over TLS sends the client certificate", async () => {
  await using server = await serve();
  await using transport = open(server.url, as({ certificate: trusted.clientNamed("jane") }));
  const socket = await transport.open?.({ path: watch, protocols });
  assert.equal(socket?.protocol, "v1.json");
  for await (const message of socket?.messages() ?? []) {
    assert.equal((parseJson(message) as { type: string }).type, "ADDED");
    break;
  }
  socket?.close();
});

test("a refused token is renewed once; a second refusal returns the server's Status", async () => {
  await using server = await serve({ tokens: ["new"] });
  let credential: Credential = { authorization: "Bearer old" };
  const names = ["new", "newer"];
  const renew = async () => {
    credential = { authorization: `Bearer ${names.shift()}` };
  };
  await using transport = open(server.url, { current: () => Promise.resolve(credential), renew });
  const socket = await transport.open?.({ path: watch, protocols });
  socket?.close();
  credential = { authorization: "Bearer older" };
  await assert.rejects(transport.open?.({ path: watch, protocols }) ?? Promise.resolve(), isUnauthorized);
  assert.deepEqual(names, []);
});

test("a connection that is cut is no end", async () => {
  await using server = await serve();
  await using between = await relay(() => Promise.resolve(server.port));
  await using transport = open(`https://127.0.0.1:${between.port}`);
  const socket = await transport.open?.({ path: watch, protocols });
  const messages = socket?.messages()[Symbol.asyncIterator]();
  await messages?.next();
  const cut = assert.rejects(messages?.next() ?? Promise.resolve(), ConnectionError);
  between.cut();
  await cut;
});

test("nothing is left of a WebSocket when its transport closes", async () => {
  await using server = await serve();
  const transport = open(server.url);
  const socket = await transport.open?.({ path: watch, protocols });
  const messages = socket?.messages()[Symbol.asyncIterator]();
  await messages?.next();
  const closed = assert.rejects(messages?.next() ?? Promise.resolve(), { message: "the client is closed" });
  await transport[Symbol.asyncDispose]();
  await closed;
});

test("a command in a Pod that does not exist", async () => {
  await using server = await serve();
  await using client = createClient({ transport: open(server.url), clock: systemClock, random: systemRandom });
  await assert.rejects(podExec(client, "missing", { command: ["true"] }), isNotFound);
});
