/** Our own clients for container runtimes against our own server, and clients of old protocols. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import WebSocket from "ws";
import type { Terminal, TerminalRequest } from "../runtime/container-streams.ts";
import type { Duplexed } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { ByteQueue } from "../streams/byte-queue.ts";
import { connectPortForward } from "../streams/spdy/connect-port-forward.ts";
import { connectRemoteCommand } from "../streams/spdy/connect-remote-command.ts";
import { servePortForward } from "./port-forward.ts";
import { serveCommand } from "./remote-command.ts";
import { isUpgrade } from "./upgrades.ts";

/** Repeats what it reads to both outputs, and ends with the length of it as its code. */
function repeating({ stderr }: TerminalRequest): Terminal {
  const [out, err] = [new ByteQueue(), new ByteQueue()];
  const exited = Promise.withResolvers<number>();
  let read = 0;
  return {
    stdout: out,
    stderr: stderr ? err : undefined,
    async writeStdin(chunk) {
      read += chunk.byteLength;
      out.push(chunk);
      err.push(chunk);
    },
    endStdin() {
      out.end();
      err.end();
      exited.resolve(read);
    },
    resize: ({ width, height }) => out.push(Buffer.from(`${width}x${height} `)),
    exited: exited.promise,
    [Symbol.dispose]: () => undefined,
  };
}

function repeatingPort(): Duplexed {
  const queue = new ByteQueue();
  return { readable: queue, write: async (chunk) => queue.push(chunk), end: () => queue.end(), [Symbol.dispose]: () => undefined };
}

const everything = { stdin: true, stdout: true, stderr: true, tty: false };

async function startServer(request: TerminalRequest = everything) {
  const clock = new ManualClock();
  const start = async (): Promise<Terminal> => repeating(request);
  const dial = async (port: number): Promise<Duplexed> => {
    if (port === 1) throw new RuntimeError("unknown", "connection refused");
    return repeatingPort();
  };
  const server = createServer({ shouldUpgradeCallback: isUpgrade });
  server.on("upgrade", (incoming, socket, head) => {
    const upgrade = { request: incoming, socket, head };
    const query = new URLSearchParams(incoming.url?.split("?")[1] ?? "");
    if (incoming.url?.startsWith("/exec")) void serveCommand(upgrade, request, { kind: "exec", command: ["c"], start }, clock);
    else void servePortForward(upgrade, query, { pod: "p", uid: "u", dial }, clock);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    clock,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      // Nothing waits for a client that is gone.
      await waitUntil("all timers to end", () => clock.waiting === 0);
    },
  };
}

async function all(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const forever = new AbortController().signal;

test("a command over SPDY: streams, their ends, the code", async () => {
  await using server = await startServer();
  using terminal = await connectRemoteCommand(`${server.url}/exec`, everything, forever);
  const outputs = Promise.all([all(terminal.stdout), all(terminal.stderr)]);
  await terminal.writeStdin(Buffer.from("hello"));
  terminal.endStdin();
  assert.deepEqual(await outputs, ["hello", "hello"]);
  assert.equal(await terminal.exited, 5);
});

test("a terminal over SPDY has sizes and one output", async () => {
  const request = { ...everything, stderr: false, tty: true };
  await using server = await startServer(request);
  using terminal = await connectRemoteCommand(`${server.url}/exec`, request, forever);
  terminal.resize({ width: 80, height: 24 });
  terminal.resize({ width: 100, height: 30 });
  const output = terminal.stdout?.[Symbol.asyncIterator]();
  let shown = "";
  while (shown !== "80x24 100x30 ") shown += Buffer.from((await output?.next())?.value ?? "").toString();
  terminal.endStdin();
  assert.equal(await terminal.exited, 0);
  assert.equal(terminal.stderr, undefined);
});

test("a command whose connection breaks off is never taken for success", async () => {
  const broken = createServer();
  broken.on("upgrade", (_request, socket) => {
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n",
    );
    socket.once("data", () => socket.destroy());
  });
  broken.listen(0, "127.0.0.1");
  await once(broken, "listening");
  using terminal = await connectRemoteCommand(`http://127.0.0.1:${(broken.address() as AddressInfo).port}/`, everything, forever);
  await assert.rejects(terminal.exited, { kind: "unavailable" });
  await assert.rejects(all(terminal.stdout), /spdy: the connection ended/);
  broken.close();
});

test("a refusal, and an address without a server", async () => {
  const refusing = createServer((_request, response) => response.writeHead(404).end("cannot find the token"));
  refusing.listen(0, "127.0.0.1");
  await once(refusing, "listening");
  const { port } = refusing.address() as AddressInfo;
  const refused = { kind: "refused", message: "unable to upgrade connection: cannot find the token" };
  await assert.rejects(connectRemoteCommand(`http://127.0.0.1:${port}/`, everything, forever), refused);
  refusing.closeAllConnections();
  refusing.close();
  await once(refusing, "close");
  await assert.rejects(connectPortForward(`http://127.0.0.1:${port}/`, 80, forever), { kind: "unavailable" });
  await assert.rejects(connectPortForward(`http://127.0.0.1:${port}/`, 80, AbortSignal.abort(new Error("too late"))), {
    message: "too late",
  });
});

test("a port over SPDY: each direction ends by itself, and failures are reported", async () => {
  await using server = await startServer();
  using connection = await connectPortForward(`${server.url}/portForward`, 80, forever);
  const text = "x".repeat(1_000_000);
  const read = all(connection.readable);
  await connection.write(Buffer.from(text));
  connection.end();
  assert.equal((await read).length, text.length);
  using failing = await connectPortForward(`${server.url}/portForward`, 1, forever);
  await assert.rejects(all(failing.readable), { message: "error forwarding port 1 to pod p, uid u: connection refused" });
});

test("an abort ends what goes on", async () => {
  await using server = await startServer();
  const stop = new AbortController();
  using terminal = await connectRemoteCommand(`${server.url}/exec`, everything, stop.signal);
  stop.abort();
  await assert.rejects(terminal.exited, /the connection broke off before the runtime said how it went/);
});

test("a client that opens no streams is not waited for", async () => {
  await using server = await startServer();
  const { openSpdy } = await import("../streams/spdy/open-spdy.ts");
  const { session } = await openSpdy(`${server.url}/exec`, { protocols: ["v4.channel.k8s.io"], signal: forever });
  await waitUntil("a timer", () => server.clock.waiting > 0);
  server.clock.advance(30_000);
  await session.closed;
});

/** What has come on each channel. */
function channels(socket: WebSocket, base64: boolean): Record<string, string> {
  const seen: Record<string, string> = {};
  socket.on("message", (message: Buffer) => {
    const channel = base64 ? String.fromCharCode(message[0] ?? 0) : String(message[0]);
    const data = base64 ? Buffer.from(message.toString("latin1", 1), "base64") : message.subarray(1);
    seen[channel] = (seen[channel] ?? "") + data.toString();
  });
  return seen;
}

const failed =
  '{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: error executing command [c], exit code 2","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"2"}]}}';
const webSockets = [
  { protocols: ["v5.channel.k8s.io"], error: failed },
  { protocols: ["v9.channel.k8s.io", "v5.channel.k8s.io", "v4.channel.k8s.io"], error: failed },
];
for (const { protocols, error } of webSockets) {
  test(`a WebSocket of ${protocols}`, async () => {
    await using server = await startServer();
    const socket = new WebSocket(`${server.url}/exec`, protocols);
    const seen = channels(socket, false);
    await once(socket, "open");
    assert.equal(socket.protocol, "v5.channel.k8s.io");
    await waitUntil("a timer", () => server.clock.waiting > 0);
    server.clock.advance(10);
    socket.send(Buffer.from("\0hi"));
    socket.send(Buffer.from([255, 0]));
    await once(socket, "close");
    assert.deepEqual(seen, { 1: "hi", 2: "hi", 3: error });
  });
}

for (const protocol of ["v4.base64.channel.k8s.io", "base64.channel.k8s.io"]) {
  test(`a WebSocket of ${protocol}`, async () => {
    await using server = await startServer();
    const socket = new WebSocket(`${server.url}/exec`, protocol);
    const seen = channels(socket, true);
    await once(socket, "open");
    socket.send(`0${Buffer.from("hi").toString("base64")}`);
    await waitUntil("the echo of both streams", () => seen[1] === "hi" && seen[2] === "hi");
    socket.terminate();
  });
}

test("an unknown protocol is rejected", async () => {
  await using server = await startServer();
  const socket = new WebSocket(`${server.url}/exec`, "v9.channel.k8s.io");
  const [, response] = await once(socket, "unexpected-response");
  assert.equal(response.statusCode, 403);
  response.destroy();
});
