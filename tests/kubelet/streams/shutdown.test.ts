/** What goes on through the server when it is closed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, podExec, podLogs, portForward } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { startEcho } from "./echo-server.ts";
import { startNode } from "./start-node.ts";

test("open commands, logs and ports end with the server, and nothing is left of them", async () => {
  await using node = await startNode();
  await using echo = await startEcho("at once");
  const running = await podExec(node.client, "web", { command: ["hang"], container: "main" });
  const logs = podLogs(node.client, "web", { container: "main", follow: true });
  for (let line = await logs.next(); line.value !== "three"; line = await logs.next());
  const port = await portForward(node.client, "web", echo.port);
  await port.write(Buffer.from("x"));
  const data = port.data[Symbol.asyncIterator]();
  await data.next();
  const ended = Promise.all([
    assert.rejects(running.exit(), ConnectionError),
    assert.rejects(Promise.resolve(logs.next()), ConnectionError),
    assert.rejects(async () => {
      if ((await data.next()).done === true) throw new Error("the end");
    }, /broke off$/),
  ]);
  await node.closeServer();
  await ended;
  await waitUntil("all connections to end", () => node.script.open.size === 0 && echo.open.size === 0);
});
