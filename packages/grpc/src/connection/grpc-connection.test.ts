import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { type GrpcHandler, type GrpcServerCall, serveGrpc } from "../../../../tests/grpc-server.ts";
import { GrpcError } from "../errors/grpc-error.ts";
import { type GrpcMethod, grpcMethods } from "../messages/methods.ts";
import { parseProto } from "../messages/proto-file.ts";
import { connectGrpc, type GrpcOptions } from "./grpc-connection.ts";

const proto = `
  package t;
  service Echo { rpc Say(Text) returns (Text); rpc Repeat(Text) returns (stream Text); }
  message Text { string text = 1; }
`;
const methods = grpcMethods(parseProto(proto), "t.Echo");
const [say, repeat] = [methods.get("Say"), methods.get("Repeat")] as [GrpcMethod, GrpcMethod];
const echo = (request: { readonly text: string }): object => request;

function socketIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-grpc-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "s.sock");
}

async function serve(t: TestContext, handlers: Readonly<Record<string, GrpcHandler>>, socket = socketIn(t)) {
  const server = await serveGrpc({ methods, handlers, socket });
  t.after(() => server.stop());
  return { server, socket };
}

function connect(t: TestContext, path: string, options: Partial<GrpcOptions> = {}) {
  const connection = connectGrpc({ address: { path }, clock: systemClock, ...options });
  t.after(() => connection[Symbol.dispose]());
  return connection;
}

/** What any program serves on a socket. */
async function listen(t: TestContext, server: Server | Http2Server): Promise<string> {
  const socket = socketIn(t);
  await once(server.listen(socket), "listening");
  t.after(() => server.close());
  return socket;
}

async function serveHttp2(t: TestContext, onStream: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createHttp2Server();
  server.on("session", (session) => {
    session.on("error", () => undefined);
    t.after(() => session.destroy());
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    onStream(stream);
  });
  return await listen(t, server);
}

test("a call is answered on a socket, an abstract socket and a port; the headers say who asks", async (t) => {
  const Say = (_: never, { headers }: GrpcServerCall) => ({ text: `${headers[":authority"]} ${headers["user-agent"]}` });
  const path = socketIn(t);
  for (const one of [path, `\0${path}`]) {
    await serve(t, { Say }, one);
    assert.deepEqual(await connect(t, one).call(say, {}), { text: "localhost coxswain" });
  }
  const server = await serveGrpc({ methods, handlers: { Say } });
  t.after(() => server.stop());
  const { port } = server;
  using connection = connectGrpc({ address: { host: "127.0.0.1", port }, clock: systemClock, userAgent: "me/1" });
  assert.deepEqual(await connection.call(say, {}), { text: `127.0.0.1:${port} me/1` });
});

test("calls share a connection, and messages may be larger than its windows", async (t) => {
  const { socket } = await serve(t, { Say: echo });
  const connection = connect(t, socket, { maxReceiveBytes: 16 << 20 });
  const texts = Array.from({ length: 200 }, (_, i) => `${i}`).concat("x".repeat(6 << 20));
  const answers = await Promise.all(texts.map((text) => connection.call(say, { text })));
  assert.deepEqual(
    answers,
    texts.map((text) => ({ text })),
  );
});

test("a failure has the server's code and text, whatever letters are in it", async (t) => {
  const Say = () => {
    throw new GrpcError(9, "100 % of “it”\nis gone");
  };
  const { socket } = await serve(t, { Say });
  await assert.rejects(connect(t, socket).call(say, {}), {
    code: 9,
    message: "rpc error: code = FailedPrecondition desc = 100 % of “it”\nis gone",
  });
});

const unreachable = [
  {
    name: "no socket",
    path: socketIn,
    says: /desc = connection error: desc = "transport: Error while dialing: dial unix \S+: connect: no such file or directory"$/,
  },
  {
    name: "an abstract socket without a server",
    path: () => "\0coxswain-no-such-server",
    says: /dial unix @coxswain-no-such-server: connect: connection refused"$/,
  },
  {
    name: "a server that closes",
    path: (t: TestContext) =>
      listen(
        t,
        createServer((socket) => socket.end()),
      ),
    says: /desc = connection error: desc = "error reading server preface: EOF"$/,
  },
  {
    name: "a server of HTTP/1.1",
    path: (t: TestContext) =>
      listen(
        t,
        createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
      ),
    says: /desc = connection error: desc = "error reading server preface: /,
  },
];
for (const { name, path, says } of unreachable)
  test(`${name} is reported at once`, async (t) => {
    const connection = connect(t, await path(t));
    await assert.rejects(connection.call(say, {}), { name: "GrpcError", code: 14, message: says });
    await assert.rejects(connection.ready(), { code: 14 });
    await assert.rejects(connection.stream(repeat, {}, new AbortController().signal).next(), { code: 14 });
  });

const grpc = { ":status": 200, "content-type": "application/grpc" } as const;
const answers: readonly { name: string; onStream: (stream: ServerHttp2Stream) => void; code: number; details: string }[] = [
  {
    name: "a page that is not there",
    onStream: (stream) => stream.respond({ ":status": 404, "content-type": "text/html" }, { endStream: true }),
    code: 12,
    details: 'unexpected HTTP status code received from server: 404 (Not Found); transport: received unexpected content-type "text/html"',
  },
  {
    name: "a status alone",
    onStream: (stream) => stream.respond({ ...grpc, "grpc-status": "5", "grpc-message": "gone" }, { endStream: true }),
    code: 5,
    details: "gone",
  },
  {
    name: "no status",
    onStream: (stream) => stream.respond(grpc, { endStream: true }),
    code: 13,
    details: "server closed the stream without sending trailers",
  },
  {
    name: "a status that is no number",
    onStream: (stream) => stream.respond({ ...grpc, "grpc-status": "fine" }, { endStream: true }),
    code: 2,
    details: 'transport: malformed grpc-status: "fine"',
  },
  {
    name: "no message",
    onStream: (stream) => stream.respond({ ...grpc, "grpc-status": "0" }, { endStream: true }),
    code: 13,
    details: "cardinality violation: received no response message from non-server-streaming RPC",
  },
  {
    name: "a refused stream",
    onStream: (stream) => stream.close(7),
    code: 14,
    details: "stream terminated by RST_STREAM with error code: REFUSED_STREAM",
  },
  {
    name: "a lost connection",
    onStream: (stream) => stream.session?.socket.destroy(),
    code: 14,
    details: "error reading from server: EOF",
  },
  {
    name: "a message that is none",
    onStream(stream) {
      stream.respond(grpc, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0x0a, 9]));
    },
    code: 13,
    details: "grpc: failed to unmarshal the received message: unexpected EOF",
  },
];
for (const { name, onStream, code, details } of answers)
  test(`${name} fails a call as it would a Go client's`, async (t) => {
    await assert.rejects(connect(t, await serveHttp2(t, onStream)).call(say, {}), { name: "GrpcError", code, details });
  });

test("a message larger than the limit ends its call, and no other", async (t) => {
  const { socket } = await serve(t, { Say: echo });
  const connection = connect(t, socket, { maxReceiveBytes: 1000 });
  await assert.rejects(connection.call(say, { text: "x".repeat(1000) }), {
    code: 8,
    details: "grpc: received message larger than max (1003 vs. 1000)",
  });
  assert.deepEqual(await connection.call(say, { text: "y" }), { text: "y" });
});

test("time limits are of the clock, while a server does not answer or does not even connect", async (t) => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const Say = (_: never, { signal }: GrpcServerCall) =>
    new Promise<never>(() => {
      signal.addEventListener("abort", () => gone.resolve());
      asked.resolve();
    });
  const { socket } = await serve(t, { Say });
  const late = { code: 4, message: "rpc error: code = DeadlineExceeded desc = context deadline exceeded" };
  const silent = connect(t, socket, { clock }).call(say, {}, { timeoutMs: 500 });
  silent.catch(() => undefined);
  await asked.promise;
  clock.advance(500);
  await assert.rejects(silent, late);
  await gone.promise;
  const accepted = Promise.withResolvers<Socket>();
  const mute = await listen(t, createServer(accepted.resolve));
  const waiting = connect(t, mute, { clock }).call(say, {}, { timeoutMs: 500 });
  waiting.catch(() => undefined);
  t.after(async () => (await accepted.promise).destroy());
  await accepted.promise;
  clock.advance(500);
  await assert.rejects(waiting, late);
  assert.equal(clock.waiting, 0);
});

test("a stream's messages come one by one, until it ends, fails or is aborted", async (t) => {
  const gone = Promise.withResolvers<void>();
  async function* Repeat({ text }: { readonly text: string }, { signal }: GrpcServerCall) {
    signal.addEventListener("abort", () => gone.resolve());
    yield { text: "1" };
    yield { text: "2" };
    if (text === "fail") throw new GrpcError(10, "enough");
    if (text === "wait") await gone.promise;
  }
  const { socket } = await serve(t, { Repeat });
  const connection = connect(t, socket);
  const abort = new AbortController();
  const seen: string[] = [];
  const readAll = async (text: string) => {
    for await (const message of connection.stream(repeat, { text }, abort.signal)) seen.push((message as { text: string }).text);
  };
  await readAll("end");
  await assert.rejects(readAll("fail"), { code: 10, details: "enough" });
  assert.deepEqual(seen, ["1", "2", "1", "2"]);
  for await (const message of connection.stream(repeat, { text: "wait" }, abort.signal)) {
    if ((message as { text: string }).text === "2") abort.abort();
  }
  await gone.promise;
  await assert.rejects(readAll("end"), { name: "AbortError" });
});

test("who leaves a stream cancels it", async (t) => {
  const gone = Promise.withResolvers<void>();
  async function* Repeat(_: never, { signal }: GrpcServerCall) {
    signal.addEventListener("abort", () => gone.resolve());
    yield { text: "1" };
    await gone.promise;
  }
  const { socket } = await serve(t, { Repeat });
  for await (const _ of connect(t, socket).stream(repeat, {}, new AbortController().signal)) break;
  await gone.promise;
});

test("the call after a lost connection makes another; one that is being closed by its server takes no more calls", async (t) => {
  const first = await serve(t, { Say: echo });
  const connection = connect(t, first.socket);
  await connection.call(say, { text: "a" });
  first.server.stop();
  await assert.rejects(
    async () => {
      for (;;) await connection.call(say, { text: "b" });
    },
    { code: 14 },
  );
  await serve(t, { Say: echo }, first.socket);
  assert.deepEqual(await connection.call(say, { text: "c" }), { text: "c" });
  const sessions = new Set<unknown>();
  const leaving = await serveHttp2(t, (stream) => {
    sessions.add(stream.session);
    stream.session?.goaway();
    stream.respond({ ...grpc, "grpc-status": "5", "grpc-message": "gone" }, { endStream: true });
  });
  const other = connect(t, leaving);
  await assert.rejects(other.call(say, {}), { code: 5 });
  await assert.rejects(other.call(say, {}), { code: 5 });
  assert.equal(sessions.size, 2);
});

test("a connection that was disposed of takes no calls, and ends those under way", async (t) => {
  const asked = Promise.withResolvers<void>();
  const { socket } = await serve(t, {
    Say: () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const connection = connect(t, socket);
  const call = connection.call(say, {});
  call.catch(() => undefined);
  await asked.promise;
  connection[Symbol.dispose]();
  await assert.rejects(call, { name: "GrpcError" });
  await assert.rejects(connection.call(say, {}), { code: 1, details: "grpc: the client connection is closing" });
});

test("thousands of large calls at the same moment are all answered", async (t) => {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  const count = 4_000;
  const { socket } = await serve(t, {
    async Say(request: { readonly text: string }) {
      if (++waiting === count) all.resolve();
      await all.promise;
      return request;
    },
  });
  const connection = connect(t, socket);
  const text = (i: number): string => `${i}`.padStart(4_096, "-");
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => connection.call(say, { text: text(i) })));
  for (const [i, answer] of answers.entries()) assert.deepEqual(answer, { text: text(i) });
});
