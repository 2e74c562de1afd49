/** Ways through proxies, and servers that speak only HTTP/1.1. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { ConnectionError } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { systemClock } from "@coxswain/machinery";
import { type Relay, relay, serve, trusted } from "./transport-server.ts";

const credentials = { current: () => Promise.resolve({ authorization: "Bearer admin" }) };
const open = (server: string, proxy?: string) =>
  http2Transport({ server, clock: systemClock, tls: { ca: trusted.cert }, credentials, proxy });
const version = { method: "GET", path: "/version", headers: {} } as const;

async function read(socket: Socket): Promise<Buffer> {
  const next = once(socket, "data");
  socket.resume();
  const [chunk] = await next;
  socket.pause();
  return chunk;
}

/** Answers CONNECT, for those who sign in as `a b`. */
const httpProxy = (): Promise<Relay> =>
  relay(async (socket) => {
    const request = (await read(socket)).toString();
    const allowed = request.includes(`\r\nProxy-Authorization: Basic ${Buffer.from("a b:secret").toString("base64")}\r\n`);
    socket.write(
      allowed ? "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n" : "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
    );
    if (!allowed) throw new Error("refused");
    return Number(/^CONNECT 127\.0\.0\.1:(\d+) HTTP\/1\.1\r\n/.exec(request)?.[1]);
  });

const socksProxy = (): Promise<Relay> =>
  relay(async (socket) => {
    const greeting = await read(socket);
    const signsIn = greeting[2] === 2;
    socket.write(Uint8Array.of(5, signsIn ? 2 : 0));
    if (signsIn) {
      const login = (await read(socket)).toString("latin1");
      socket.write(Uint8Array.of(1, login === "\x01\x03a b\x06secret" ? 0 : 1));
    }
    const request = await read(socket);
    socket.write(Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
    return request.readUInt16BE(request.length - 2);
  });

const ways: readonly { name: string; proxy: () => Promise<Relay>; url: (port: number) => string; problem?: RegExp }[] = [
  { name: "HTTP", proxy: httpProxy, url: (port) => `http://a%20b:secret@127.0.0.1:${port}` },
  {
    name: "HTTP, without the password",
    proxy: httpProxy,
    url: (port) => `http://127.0.0.1:${port}`,
    problem: /through the proxy 127\.0\.0\.1:\d+: the proxy answers HTTP\/1\.1 407 Proxy Authentication Required$/,
  },
  { name: "SOCKS5", proxy: socksProxy, url: (port) => `socks5://127.0.0.1:${port}` },
  { name: "SOCKS5 with a password", proxy: socksProxy, url: (port) => `socks5://a%20b:secret@127.0.0.1:${port}` },
  {
    name: "SOCKS5 with a wrong password",
    proxy: socksProxy,
    url: (port) => `socks5://a:b@127.0.0.1:${port}`,
    problem: /the proxy does not accept the user$/,
  },
];
for (const { name, proxy, url, problem } of ways) {
  test(`through a proxy: ${name}`, async () => {
    await using server = await serve();
    await using between = await proxy();
    await using transport = open(server.url, url(between.port));
    if (problem === undefined) assert.equal((await transport.send(version)).status, 200);
    else
      await assert.rejects(
        transport.send(version),
        (error) => error instanceof ConnectionError && error.unsent && problem.test(error.message),
      );
    assert.equal(between.made(), 1);
  });
}

test("a server with TLS that speaks no HTTP/2 is spoken to in HTTP/1.1, on the connection that found out", async () => {
  const connections = new Set<unknown>();
  const server = createHttps(trusted.serving, (request, response) => {
    connections.add(request.socket);
    response.end(`${request.httpVersion} ${request.headers.authorization} ${request.headers.host}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const transport = open(`https://127.0.0.1:${port}`);
  for (let n = 0; n < 3; n++) {
    const answer = await transport.send(version);
    assert.equal(Buffer.from(await answer.bytes()).toString(), `1.1 Bearer admin 127.0.0.1:${port}`);
    await new Promise(setImmediate);
  }
  assert.equal(connections.size, 1);
  await transport[Symbol.asyncDispose]();
  server.close();
  await once(server, "close");
});
