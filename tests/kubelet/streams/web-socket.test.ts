/** What is seen of WebSockets byte for byte: how they end. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Clock, systemClock } from "@coxswain/machinery";
import { type EchoServer, startEcho } from "./echo-server.ts";
import { opcodes, openedWebSocket, openWebSocket } from "./raw-web-socket.ts";
import { line, type NodeUnderTest, startNode } from "./start-node.ts";

let node: NodeUnderTest;
let echo: EchoServer;
/** Whoever waits for a client's answer waits for ever. */
const never = systemClock.schedule(0, () => undefined);
const clock: Clock = { ...systemClock, schedule: (ms, fn) => (ms < 5_000 ? systemClock.schedule(ms, fn) : never) };

before(async () => {
  [node, echo] = await Promise.all([startNode({ clock }), startEcho("at once")]);
});
after(() => Promise.all([node[Symbol.asyncDispose](), echo[Symbol.asyncDispose]()]));

const pod = "/api/v1/namespaces/default/pods/web";
const normal = Buffer.from([0x03, 0xe8]);

for (const { protocol } of [{ protocol: "v5.channel.k8s.io" }, { protocol: "v4.channel.k8s.io" }, { protocol: undefined }])
  test(`a command that ends closes the connection itself (${protocol})`, { timeout: 60_000 }, async () => {
    using socket = await openedWebSocket(node, `${pod}/exec?command=true&stdout=true&container=main`, protocol);
    let last: number | undefined;
    // The client answers no close frame.
    for (let frame = await socket.next(); frame !== undefined; frame = await socket.next()) last = frame.opcode;
    assert.equal(last, opcodes.close);
  });

test("a port whose Pod closes it closes the connection itself", { timeout: 60_000 }, async () => {
  using socket = await openedWebSocket(node, `${pod}/portforward?ports=${echo.port}`, "v4.channel.k8s.io");
  socket.send(opcodes.binary, Buffer.from("\0hi"));
  let echoed = "";
  while (!echoed.endsWith("hi")) echoed += (await socket.next())?.payload.toString() ?? assert.fail("closed");
  for (const open of echo.open) open.end();
  let last: number | undefined;
  for (let frame = await socket.next(); frame !== undefined; frame = await socket.next()) last = frame.opcode;
  assert.equal(last, opcodes.close);
});

const closing = [
  { name: "a command", path: `${pod}/exec?command=cat&stdin=true&stdout=true&container=main`, protocol: "v5.channel.k8s.io" },
  { name: "a port", path: `${pod}/portforward?ports=PORT`, protocol: "v4.channel.k8s.io" },
  { name: "a tunnel for ports", path: `${pod}/portforward`, protocol: "SPDY/3.1+portforward.k8s.io" },
  { name: "a watch", path: "/api/v1/namespaces/default/pods?watch=true", protocol: undefined },
];
for (const { name, path, protocol } of closing)
  test(`a close frame ends ${name}: it is answered, and the connection closed`, async () => {
    using socket = await openedWebSocket(node, path.replace("PORT", String(echo.port)), protocol);
    socket.send(opcodes.close, normal);
    let last: { opcode: number; payload: Buffer } | undefined;
    for (let frame = await socket.next(); frame !== undefined; frame = await socket.next()) last = frame;
    assert.equal(last?.opcode, opcodes.close);
    assert.deepEqual(last.payload, normal);
  });

const log = "one\ntwo\nthree\n";
const logs = [
  { protocol: undefined, opcode: opcodes.binary, encoding: "latin1" },
  { protocol: "binary.k8s.io", opcode: opcodes.binary, encoding: "latin1" },
  { protocol: "v9, base64.binary.k8s.io, binary.k8s.io", opcode: opcodes.text, encoding: "base64", chosen: "base64.binary.k8s.io" },
] as const;
for (const { protocol, opcode, encoding, ...rest } of logs)
  test(`a log over a WebSocket (${protocol})`, async () => {
    using socket = await openedWebSocket(node, `${pod}/log?container=main`, protocol);
    assert.equal(socket.protocol, "chosen" in rest ? rest.chosen : protocol);
    assert.deepEqual(await socket.next(), { opcode, payload: Buffer.alloc(0) }, "an empty message comes first");
    let text = "";
    for (let frame = await socket.next(); frame !== undefined && frame.opcode !== opcodes.close; frame = await socket.next()) {
      assert.equal(frame.opcode, opcode);
      text += Buffer.from(frame.payload.toString("latin1"), encoding).toString();
    }
    assert.equal(text, log);
    assert.equal(await socket.next(), undefined);
  });

test("long log lines come in short messages, and a follower can disconnect", async () => {
  node.script.logs.set("c1", [...(node.script.logs.get("c1") ?? []), line(4, "x".repeat(5_000))]);
  using socket = await openedWebSocket(node, `${pod}/log?container=main&tailLines=1&follow=true`, "binary.k8s.io");
  let bytes = 0;
  while (bytes < 5_001) {
    const frame = await socket.next();
    assert.ok(frame !== undefined && frame.payload.length <= 2048);
    bytes += frame.payload.length;
  }
  socket.send(opcodes.close, normal);
  assert.equal((await socket.next())?.opcode, opcodes.close);
  assert.equal(await socket.next(), undefined);
});

test("a protocol that logs do not speak is refused, and an error is a plain answer", async () => {
  const refused = await openWebSocket(node, `${pod}/log?container=main`, "v4.channel.k8s.io");
  assert.deepEqual("status" in refused && refused.status, 403);
  const failed = await openWebSocket(node, `${pod}/log?container=none`, "binary.k8s.io");
  assert.ok("status" in failed);
  assert.deepEqual([failed.status, JSON.parse(failed.text).message], [400, "container none is not valid for pod web"]);
});
