import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttp1, type Server as Http1Server } from "node:http";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createTcp, type Socket, type Server as TcpServer } from "node:net";
import { test } from "node:test";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { ConnectionError, type TransportRequest } from "../transport/transport.ts";
import { Http2Connection } from "./http2-connection.ts";
import { http2Transport } from "./http2-transport.ts";

const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({ method: "GET", path, headers: {}, ...more });
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const keepAlive = { intervalMs: 30_000, timeoutMs: 15_000 };

interface Running extends AsyncDisposable {
  readonly port: number;
  readonly sockets: Set<Socket>;
}

async function listen(server: Http2Server | Http1Server | TcpServer): Promise<Running> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function connection(port: number, clock = new ManualClock()) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return { clock, http2: new Http2Connection({ socket, origin: `http://127.0.0.1:${port}`, clock, keepAlive, onChange: () => undefined }) };
}

function http2Server(answer: (stream: ServerHttp2Stream, path: string) => void): Http2Server {
  const server = createServer();
  server.on("sessionError", () => undefined);
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    answer(stream, String(headers[":path"]));
  });
  return server;
}

function answered(stream: ServerHttp2Stream): ServerHttp2Stream {
  stream.respond({ ":status": 200 });
  return stream;
}

/** An HTTP/2 frame. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
const code = (n: number): Buffer => Buffer.from([0, 0, 0, n]);
const settings = frame(4, 0, 0, Buffer.alloc(0));
const okHeaders = frame(1, 4, 1, Buffer.from([0x88]));
const begunBody = frame(0, 0, 1, Buffer.from("half"));
const reset = (error: number): Buffer => frame(3, 0, 1, code(error));
const goaway = (last: number, error: number): Buffer => frame(7, 0, 0, Buffer.concat([code(last), code(error)]));

/** Answers the first request with these bytes, whatever it is. */
const rawServer = (...frames: Buffer[]): TcpServer =>
  createTcp((socket) => {
    socket.write(settings);
    let seen = 0;
    socket.on("data", (chunk) => {
      seen += chunk.length;
      if (seen > 100) for (const one of frames.splice(0)) socket.write(one);
    });
  });

const breaks = [
  { name: "RST_STREAM with REFUSED_STREAM before an answer", frames: [reset(7)], unsent: true },
  { name: "RST_STREAM with ENHANCE_YOUR_CALM before an answer", frames: [reset(11)], unsent: true },
  { name: "RST_STREAM with INTERNAL_ERROR before an answer", frames: [reset(2)], unsent: false },
  { name: "GOAWAY that has not seen the request", frames: [goaway(0, 0)], unsent: true },
  { name: "GOAWAY with an error that has not seen the request", frames: [goaway(0, 11)], unsent: true },
  { name: "GOAWAY with an error that has seen the request", frames: [goaway(1, 11)], unsent: false },
  { name: "RST_STREAM with CANCEL in the middle of a body", frames: [okHeaders, begunBody, reset(8)], unsent: false },
  { name: "RST_STREAM with INTERNAL_ERROR in the middle of a body", frames: [okHeaders, begunBody, reset(2)], unsent: false },
];
for (const { name, frames, unsent } of breaks) {
  test(`${name} is a ConnectionError, unsent: ${unsent}`, async () => {
    await using server = await listen(rawServer(...frames));
    const { http2 } = await connection(server.port);
    const sent = http2.send(get("/some/path/that/is/long/enough/for/the/server/to/know"), { "x-filling": "x".repeat(100) });
    await assert.rejects(
      sent.then((answer) => answer.bytes()),
      (error) => error instanceof ConnectionError && error.unsent === unsent,
    );
    assert.equal(http2.retired, frames[0]?.[3] === 7);
    http2.destroy(new ConnectionError("done"));
  });
}

test("a body cut off by the end of the connection is not taken for whole, neither as bytes nor as chunks", async () => {
  await using server = await listen(http2Server((stream) => void answered(stream).write("half")));
  for (const how of ["bytes", "chunks"] as const) {
    const { http2 } = await connection(server.port);
    const answer = await http2.send(get("/"), {});
    const read = how === "bytes" ? answer.bytes() : Array.fromAsync(answer.chunks());
    setImmediate(() => {
      for (const socket of server.sockets) socket.destroy();
    });
    await assert.rejects(read, ConnectionError);
    assert.equal(http2.gone, true);
  }
});

test("a server that answers no ping is given up, and every request on its connection fails", async () => {
  await using server = await listen(createTcp((socket) => void socket.on("data", () => undefined).write(settings)));
  const { clock, http2 } = await connection(server.port);
  const requests = [1, 2, 3].map((n) => http2.send(get(`/${n}`), {}));
  const outcomes = Promise.allSettled(requests);
  clock.advance(keepAlive.intervalMs);
  assert.equal(http2.gone, false);
  clock.advance(keepAlive.timeoutMs);
  for (const outcome of await outcomes) {
    assert.equal(outcome.status, "rejected");
    assert.ok(outcome.reason instanceof ConnectionError);
    assert.match(outcome.reason.message, /no answer to a ping for 15 s/);
  }
  assert.equal(http2.gone, true);
  assert.equal(clock.waiting, 0);
});

test("a server that answers pings keeps its watches, however silent they are", async () => {
  await using server = await listen(http2Server((stream) => void stream.respond({ ":status": 200 })));
  const { clock, http2 } = await connection(server.port);
  const answer = await http2.send(get("/watch"), {});
  for (let minutes = 0; minutes < 5; minutes++) {
    clock.advance(keepAlive.intervalMs);
    // The answer to the ping is what re-arms the timer for the next one.
    await waitUntil("the timer of the next ping", () => clock.waiting === 1);
    await (await http2.send(get("/x"), {})).cancel();
    assert.equal(http2.gone, false);
  }
  answer.cancel();
  http2.destroy(new ConnectionError("done"));
});

test("an answer without a reader holds up only itself", async () => {
  const big = Buffer.alloc(8 * 1024 * 1024);
  await using server = await listen(http2Server((stream, path) => void answered(stream).end(path === "/big" ? big : "small")));
  const { http2 } = await connection(server.port);
  const unread = await http2.send(get("/big"), {});
  for (let n = 0; n < 20; n++) assert.equal(text(await (await http2.send(get("/small"), {})).bytes()), "small");
  assert.equal((await unread.bytes()).byteLength, big.byteLength);
  http2.destroy(new ConnectionError("done"));
});

test("whoever leaves an answer gives its place to others, read or not", async () => {
  const big = Buffer.alloc(2 * 1024 * 1024);
  const ends: (number | undefined)[] = [];
  const resets = http2Server((stream, path) => {
    if (path !== "/small") stream.once("close", () => ends.push(stream.rstCode));
    answered(stream).end(path === "/small" ? "" : big);
  });
  await using server = await listen(resets);
  const { http2 } = await connection(server.port);
  await (await http2.send(get("/small"), {})).bytes();
  const before = http2.free;
  const ways = [
    async () => (await http2.send(get("/unread"), {})).cancel(),
    async () => {
      for await (const _ of (await http2.send(get("/begun"), {})).chunks()) break;
    },
    async () => {
      const stop = new AbortController();
      const chunks = (await http2.send(get("/aborted", { signal: stop.signal }), {})).chunks()[Symbol.asyncIterator]();
      await chunks.next();
      stop.abort(new Error("enough"));
    },
  ];
  for (const leave of ways) {
    await leave();
    await waitUntil("the stream to end", () => http2.free === before);
  }
  await waitUntil("three ended streams", () => ends.length >= 3);
  assert.deepEqual(ends, [8, 8, 8]);
  http2.destroy(new ConnectionError("done"));
});

test("plain HTTP goes over HTTP/1.1, with the path that the server stands under, and ends with the transport", async () => {
  const seen: unknown[] = [];
  await using server = await listen(
    createHttp1((request, response) => {
      seen.push([request.method, request.url, request.headers.authorization, request.headers["impersonate-group"]]);
      if (request.url === "/base/watch") return void response.write("first\n");
      request.pipe(response);
    }),
  );
  const transport = http2Transport({
    server: `http://127.0.0.1:${server.port}/base/`,
    clock: systemClock,
    credentials: { current: () => Promise.resolve({ authorization: "Bearer x" }) },
    headers: { "impersonate-group": "a" },
  });
  const echoed = await transport.send({ method: "POST", path: "/echo?a=b", headers: {}, body: Buffer.from("hello") });
  assert.equal(text(await echoed.bytes()), "hello");
  const watch = (await transport.send(get("/watch"))).chunks()[Symbol.asyncIterator]();
  assert.equal(text((await watch.next()).value), "first\n");
  const next = watch.next();
  const rejected = assert.rejects(next, ConnectionError);
  await transport[Symbol.asyncDispose]();
  await rejected;
  await assert.rejects(transport.send(get("/")), (error) => error instanceof ConnectionError && error.unsent);
  assert.deepEqual(seen, [
    ["POST", "/base/echo?a=b", "Bearer x", "a"],
    ["GET", "/base/watch", "Bearer x", "a"],
  ]);
});

test("an abort rejects with its reason, before the answer and in the middle of it", async () => {
  await using server = await listen(
    createHttp1((request, response) => {
      if (request.url === "/begun") response.write("begun");
    }),
  );
  await using h2 = await listen(
    http2Server((stream, path) => {
      if (path === "/begun") answered(stream).write("begun");
    }),
  );
  await using transport = http2Transport({ server: `http://127.0.0.1:${server.port}`, clock: systemClock });
  const { http2 } = await connection(h2.port);
  const ways = [(request: TransportRequest) => transport.send(request), (request: TransportRequest) => http2.send(request, {})];
  for (const send of ways) {
    const early = new AbortController();
    const never = assert.rejects(send(get("/never", { signal: early.signal })), { message: "enough" });
    setImmediate(() => early.abort(new Error("enough")));
    await never;
    const late = new AbortController();
    const answer = await send(get("/begun", { signal: late.signal }));
    const rest = answer.chunks()[Symbol.asyncIterator]();
    assert.equal(text((await rest.next()).value), "begun");
    const broken = assert.rejects(rest.next(), { message: "enough" });
    late.abort(new Error("enough"));
    await broken;
  }
  http2.destroy(new ConnectionError("done"));
});

test("a 401 renews the credential and asks once more, never twice", async () => {
  const asked: (string | undefined)[] = [];
  await using server = await listen(
    createHttp1((request, response) => {
      asked.push(request.headers.authorization);
      response.statusCode = request.headers.authorization === "Bearer 2" && request.url === "/mine" ? 200 : 401;
      response.end();
    }),
  );
  let generation = 1;
  let credential = { authorization: "Bearer 1" };
  const credentials = {
    current: () => Promise.resolve(credential),
    renew: () => {
      credential = { authorization: `Bearer ${++generation}` };
      return Promise.resolve();
    },
  };
  await using transport = http2Transport({ server: `http://127.0.0.1:${server.port}`, clock: systemClock, credentials });
  assert.equal((await transport.send(get("/mine"))).status, 200);
  assert.equal((await transport.send(get("/others"))).status, 401);
  assert.deepEqual(asked, ["Bearer 1", "Bearer 2", "Bearer 2", "Bearer 3"]);
});

test("a connection that is not answered fails after the connect timeout", async () => {
  await using server = await listen(createTcp(() => undefined));
  const clock = new ManualClock();
  await using transport = http2Transport({ server: `https://127.0.0.1:${server.port}`, clock });
  const sent = assert.rejects(
    transport.send(get("/")),
    (error) => error instanceof ConnectionError && error.unsent && /no connection after 30 s/.test(error.message),
  );
  await waitUntil("a socket", () => server.sockets.size > 0);
  clock.advance(30_000);
  await sent;
  assert.equal(clock.waiting, 0);
});
