import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import test, { type TestContext } from "node:test";
import { GrpcError, grpcCodes } from "@coxswain/grpc";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { type GrpcServerCall, serveGrpc } from "../../../../tests/grpc-server.ts";
import type { HttpCall } from "./dial.ts";
import { getHttp } from "./http-get.ts";
import { networkDial } from "./network-dial.ts";
import { healthMethods } from "./network-grpc.ts";

const { signal } = new AbortController();
const dial = networkDial(systemClock);

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

/** A closed port. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

const call = (port: number, fields: Partial<HttpCall> = {}): HttpCall => ({
  containerId: "c0",
  scheme: "http",
  host: "127.0.0.1",
  port,
  path: "/",
  headers: [],
  timeoutMs: 30_000,
  ...fields,
});

test("An exchange sends the path and the headers as they stand, and reads no more of the body than it may", async (t) => {
  const server = createHttpServer((request, response) => {
    const { url, rawHeaders } = request;
    response.end(`${url} ${rawHeaders.join(" ")} ${"x".repeat(20_000)}`);
  });
  const port = await listen(t, server);
  const headers = [
    ["Host", "example.com"],
    ["X-A", "1"],
    ["X-A", "2"],
  ] as const;
  const { status, body } = await dial.http(call(port, { path: "/a/../b?c=%41", headers }), signal);
  assert.equal(status, 200);
  assert.match(body, /^\/a\/\.\.\/b\?c=%41 Host example\.com X-A 1 X-A 2 Connection close x+$/);
  assert.equal(body.length, 10 * 1024);
});

test("Redirects to the same host are followed", async (t) => {
  const server = createHttpServer((request, response) => {
    if (request.url === "/end") return void response.end(request.headers.referer);
    response.writeHead(302, { location: "/end" }).end();
  });
  const port = await listen(t, server);
  assert.deepEqual(await getHttp(dial, call(port), signal), { status: 200, body: `http://127.0.0.1:${port}/` });
});

const failures: readonly {
  name: string;
  listener?: (socket: import("node:net").Socket) => void;
  fields?: Partial<HttpCall>;
  message: RegExp;
}[] = [
  { name: "the port is closed", message: /^Get "http:\/\/127.0.0.1:\d+\/": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/ },
  { name: "the connection is closed", listener: (socket) => socket.end(), message: /: EOF$/ },
  { name: "the answer is no HTTP", listener: (socket) => void socket.end("SSH-2.0\r\n"), message: /malformed HTTP response/ },
  {
    name: "it is not TLS",
    listener: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    fields: { scheme: "https" },
    message: /^Get "https:.*http: server gave HTTP response to HTTPS client$/,
  },
];
for (const { name, listener, fields, message } of failures) {
  test(`An exchange fails in Go's words when ${name}`, async (t) => {
    const port =
      listener === undefined
        ? await closedPort()
        : await listen(
            t,
            createTcpServer((socket) => {
              socket.on("error", () => undefined);
              socket.once("data", () => listener(socket));
            }),
          );
    await assert.rejects(getHttp(dial, call(port, fields), signal), { message });
  });
}

test("Whoever does not answer in time has failed, and its connection is closed", async (t) => {
  const clock = new ManualClock();
  const closed = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => arrived.resolve());
    socket.once("close", () => closed.resolve());
  });
  const port = await listen(t, server);
  const asked = networkDial(clock).http(call(port, { timeoutMs: 1000 }), signal);
  await arrived.promise;
  clock.advance(1000);
  await assert.rejects(asked, { message: "context deadline exceeded (Client.Timeout exceeded while awaiting headers)" });
  await closed.promise;
  assert.equal(clock.waiting, 0);
});

test("A port is open or it is not", async (t) => {
  const port = await listen(
    t,
    createTcpServer((socket) => socket.on("error", () => undefined)),
  );
  await dial.tcp(call(port), signal);
  const closed = await closedPort();
  await assert.rejects(dial.tcp(call(closed), signal), { message: `dial tcp 127.0.0.1:${closed}: connect: connection refused` });
});

test("Health is asked for by gRPC", async (t) => {
  const services: string[] = [];
  const Check = ({ service }: { service: string }, { headers }: GrpcServerCall) => {
    services.push(service);
    if (service === "unknown") throw new GrpcError(grpcCodes.NotFound, "unknown service");
    if (service === "agent") throw new GrpcError(grpcCodes.Unknown, String(headers["user-agent"]));
    return { status: service === "ill" ? "NOT_SERVING" : "SERVING" };
  };
  const server = await serveGrpc({ methods: healthMethods(), handlers: { Check } });
  t.after(() => server.stop());
  const { port } = server;
  const target = { containerId: "c0", host: "127.0.0.1", port, timeoutMs: 30_000 };
  assert.deepEqual(await dial.grpc({ ...target, service: "" }, signal), { kind: "answered", status: "SERVING" });
  assert.deepEqual(await dial.grpc({ ...target, service: "ill" }, signal), { kind: "answered", status: "NOT_SERVING" });
  assert.deepEqual(await dial.grpc({ ...target, service: "unknown" }, signal), { kind: "failed", code: 5, message: "unknown service" });
  assert.deepEqual(await dial.grpc({ ...target, service: "agent" }, signal), { kind: "failed", code: 2, message: "kube-probe/1.36" });
  assert.deepEqual(services, ["", "ill", "unknown", "agent"]);
  assert.deepEqual(await dial.grpc({ ...target, port: await closedPort(), timeoutMs: 300, service: "" }, signal), { kind: "unreachable" });
});
