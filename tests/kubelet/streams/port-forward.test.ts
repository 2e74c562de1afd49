/** Ports of a Pod, through the API server and the kubelet, with our own client. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { portForward } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { type EchoServer, startEcho } from "./echo-server.ts";
import { type NodeUnderTest, startNode } from "./start-node.ts";

let node: NodeUnderTest;
let echo: EchoServer;
before(async () => {
  [node, echo] = await Promise.all([startNode(), startEcho("at once")]);
});
after(() => Promise.all([node[Symbol.asyncDispose](), echo[Symbol.asyncDispose]()]));

test("what goes in comes back, on many connections", async () => {
  const text = Buffer.alloc(500_000, "port");
  const repeated = async (): Promise<void> => {
    using connection = await portForward(node.client, "web", echo.port);
    const writing = connection.write(text);
    let read = Buffer.alloc(0);
    for await (const chunk of connection.data) {
      read = Buffer.concat([read, chunk]);
      if (read.length >= text.length) break;
    }
    await writing;
    assert.ok(read.equals(text));
  };
  await Promise.all(Array.from({ length: 8 }, repeated));
  await waitUntil("all connections to end", () => node.script.open.size === 0 && echo.open.size === 0);
});

test("port-forward to a port without a listener fails with a message", async () => {
  const closed = await startEcho("at once");
  await closed[Symbol.asyncDispose]();
  using connection = await portForward(node.client, "web", closed.port);
  await assert.rejects(
    async () => {
      for await (const _ of connection.data);
    },
    new RegExp(
      `error forwarding port ${closed.port} to pod web, uid \\S+: dial tcp4 127.0.0.1:${closed.port}: connect: connection refused`,
    ),
  );
});

test("the end of what the Pod says ends the connection", async () => {
  const closing = await startEcho("at once");
  using connection = await portForward(node.client, "web", closing.port);
  await connection.write(Buffer.from("x"));
  const data = connection.data[Symbol.asyncIterator]();
  assert.equal(Buffer.from((await data.next()).value ?? "").toString(), "x");
  for (const socket of closing.open) socket.end();
  assert.equal((await data.next()).done, true);
  await closing[Symbol.asyncDispose]();
});
