/** Connections that are held, that send half of something or take nothing, and others beside them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { AsyncDisposableStack, ManualClock } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { DnsMetrics } from "./dns-metrics.ts";
import { defaultTcpBounds, listenTcp, type TcpBounds } from "./tcp-server.ts";

/** Answers with so many bytes as the first byte of a question says, in KiB. */
const handler = { handle: (packet: Uint8Array): Uint8Array => new Uint8Array(1024 * (packet[0] ?? 0)).fill(7) };

async function listening(bounds: Partial<TcpBounds>) {
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock();
  const metrics = new DnsMetrics("dns://test");
  const errors: unknown[] = [];
  const options = {
    host: "127.0.0.1",
    port: 0,
    handler,
    metrics,
    clock,
    mayAsk: undefined,
    onError: (error: unknown) => errors.push(error),
  };
  const server = stack.use(await listenTcp(options, { ...defaultTcpBounds, ...bounds }));
  const sockets = new Set<Socket>();
  stack.use({
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
    },
  });
  const open = async (localAddress: string, takes = true): Promise<Socket> => {
    const socket = connect({ host: "127.0.0.1", port: server.port, localAddress });
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    await once(socket, "connect");
    if (takes) socket.resume();
    return socket;
  };
  const dropped = (): number => Number(/^coxswain_dns_dropped_total (\d+)$/m.exec(metrics.text())?.[1]);
  const owned = stack.move();
  return { clock, errors, open, dropped, sockets, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const question = (kib: number): Uint8Array => Uint8Array.of(0, 1, kib);

async function ask(socket: Socket): Promise<number> {
  socket.write(question(1));
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return bytes.readUInt16BE(0);
}

// Only Linux has all of 127.0.0.0/8.
const skip = process.platform === "linux" ? false : "one client has one address here";

test("a client that holds all connections it can get leaves some to others", { skip, timeout: hangMs }, async () => {
  await using under = await listening({ maxConnections: 20 });
  for (let i = 0; i < 50; i++) await under.open("127.0.0.66");
  await waitUntil("those beyond its share are closed", () => under.sockets.size === 10);
  assert.equal(under.dropped(), 40);
  for (let i = 0; i < 5; i++) assert.equal(await ask(await under.open("127.0.0.2")), 1024);
  assert.equal(await ask(await under.open("127.0.0.3")), 1024);
});

test("a connection that has ended can be had again", { timeout: hangMs }, async () => {
  await using under = await listening({ maxConnections: 2 });
  const isServed = async (socket: Socket): Promise<boolean> =>
    !socket.destroyed && Promise.race([ask(socket).then(() => true), once(socket, "close").then(() => false)]);
  for (let i = 0; i < 10; i++)
    await waitUntil("the server has seen that the one before has ended", async () => {
      const socket = await under.open("127.0.0.1");
      const served = await isServed(socket);
      socket.destroy();
      return served;
    });
});

test("a question that comes byte by byte ends with its time, however its bytes come", { timeout: hangMs }, async () => {
  await using under = await listening({});
  const slow = await under.open("127.0.0.1");
  assert.equal(await ask(slow), 1024);
  const closed = once(slow, "close");
  for (let i = 0; i < 4; i++) {
    slow.write(Uint8Array.of(i === 0 ? 1 : 0));
    // What another one is answered came behind that byte.
    const other = await under.open("127.0.0.1");
    assert.equal(await ask(other), 1024);
    other.destroy();
    under.clock.advance(2500);
  }
  await closed;
});

test("a question that says it is longer than any ends its connection before it comes", { timeout: hangMs }, async () => {
  await using under = await listening({ maxQuestionLength: 4096 });
  const socket = await under.open("127.0.0.1");
  const closed = once(socket, "close");
  socket.write(Uint8Array.of(0x10, 0x01));
  await closed;
  const other = await under.open("127.0.0.1");
  other.write(Buffer.concat([Uint8Array.of(0x10, 0x00, 1), new Uint8Array(4095)]));
  const [bytes] = (await once(other, "data")) as [Buffer];
  assert.equal(bytes.readUInt16BE(0), 1024);
});

test("answers that nobody takes are bounded, of one connection and of all", { timeout: hangMs }, async () => {
  await using under = await listening({ maxUntakenBytes: 128 * 1024, maxUntakenBytesOfAll: 1024 * 1024 });
  const many = Buffer.concat(new Array(1000).fill(question(60)));
  for (let i = 0; i < 30; i++) (await under.open("127.0.0.1", false)).write(many);
  await waitUntil("some have ended", () => under.dropped() > 0);
  assert.equal(await ask(await under.open("127.0.0.1")), 1024);
  assert.deepEqual(under.errors, []);
});
