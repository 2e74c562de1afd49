import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { forwardPort } from "../node/forward-port.ts";
import { startPod } from "./pod-under-test.ts";
import { portForward } from "./port-forward.ts";

const text = (data: Uint8Array | undefined): string => Buffer.from(data ?? []).toString();

test("a connection to a port, without the numbers that the channels begin with", async () => {
  await using pod = await startPod();
  using forwarded = await portForward(pod.client, "web", 7);
  const data = forwarded.data[Symbol.asyncIterator]();
  await forwarded.write(Buffer.from("hello"));
  assert.equal(text((await data.next()).value), "hello");
  forwarded.close();
  assert.equal((await data.next()).done, true);
  assert.deepEqual(pod.asked, ["/api/v1/namespaces/ns/pods/web/portforward?ports=7"]);
});

test("a port that is closed", async () => {
  await using pod = await startPod();
  using forwarded = await portForward(pod.client, "web", 8);
  await assert.rejects(Array.fromAsync(forwarded.data), /error forwarding port 8: dial tcp4 127\.0\.0\.1:8: connect: connection refused/);
});

test("a local port leads there, for several at once, until it is given up", async () => {
  await using pod = await startPod();
  const errors: unknown[] = [];
  const forwarded = await forwardPort(pod.client, "web", { port: 7, onError: (error) => errors.push(error) });
  const sockets = ["one", "two"].map((name) => ({ name, socket: connect(forwarded.localPort, "127.0.0.1") }));
  for (const { name, socket } of sockets) {
    socket.write(name);
    const [echoed] = await once(socket, "data");
    assert.equal(text(echoed), name);
  }
  const closed = sockets.map(({ socket }) => once(socket, "close"));
  await forwarded[Symbol.asyncDispose]();
  await Promise.all(closed);
  assert.deepEqual(errors, []);
  const refused = connect(forwarded.localPort, "127.0.0.1");
  await assert.rejects(once(refused, "connect"), /ECONNREFUSED/);
});

test("a local port reports connections that fail, and accepts others", async () => {
  await using pod = await startPod();
  const errors: Error[] = [];
  await using forwarded = await forwardPort(pod.client, "web", { port: 8, onError: (error) => errors.push(error as Error) });
  const socket = connect(forwarded.localPort, "127.0.0.1");
  await once(socket, "close");
  assert.match(errors[0]?.message ?? "", /connection refused/);
});
