/** Clients that ask for much and read nothing: cut off, at a bounded price, without an effect on others. */
import assert from "node:assert/strict";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { configMap, configMaps, send, startTarget, type Target, until, within } from "./target.ts";

const eventBytes = 250_000;
const events = 200;
const maxKb = 400 * 1024;

let target: Target;
let writer: ClientHttp2Session;
before(async () => {
  target = await startTarget();
  writer = await target.http2();
  assert.equal(
    (await send({ session: writer, authorization: target.authorization }, "POST", configMaps, { body: configMap("busy") })).status,
    201,
  );
});
after(async () => {
  writer.destroy();
  await target[Symbol.asyncDispose]();
});

const watchPath = `${configMaps}?watch=1&resourceVersion=1`;

/** Asks for something on HTTP/1.1 and never reads more than the first bytes. */
async function openUnread(path: string): Promise<TLSSocket> {
  const socket = await target.raw("http/1.1");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${target.authorization}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.pause();
  return socket;
}

test("watches that are not read while 50 MB of events pass", async (t) => {
  const before = target.residentKb();
  const unreadSockets = await Promise.all(Array.from({ length: 5 }, () => openUnread(watchPath)));
  // This one's connection is read, so it stays open, but its stream's window is never widened.
  const session = await target.http2({ windowSize: 1_000 });
  const unreadStreams = Array.from({ length: 5 }, () => session.request({ ":path": watchPath, authorization: target.authorization }));
  for (const stream of unreadStreams) {
    stream.on("error", () => undefined);
    stream.pause();
  }
  const reader = await target.http2();
  const seen = reader.request({ ":path": watchPath, authorization: target.authorization });
  let versions = 0;
  let rest = "";
  seen.setEncoding("utf8");
  seen.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    versions += lines.length;
  });
  await until("the first event", () => versions === 1);
  for (let i = 0; i < events; i++) {
    const body = configMap("busy", { text: `${i}`.padEnd(eventBytes, "x") });
    assert.equal((await send({ session: writer, authorization: target.authorization }, "PUT", `${configMaps}/busy`, { body })).status, 200);
  }
  await until("all events at the watch that is read", () => versions === 1 + events);
  await within("the watches on HTTP/2 to be cut off", Promise.all(unreadStreams.map(closed)));
  assert.equal(session.closed, false);
  for (const socket of unreadSockets) assert.ok(await isCutOff(socket));
  if (before === undefined) t.diagnostic("not measured: the system does not tell how much memory a process has");
  else {
    const grown = (target.residentKb() ?? 0) - before;
    t.diagnostic(`the server grew by ${grown} kB`);
    assert.ok(grown < maxKb, `${grown} kB more`);
  }
  session.destroy();
  reader.destroy();
});

test("lists that are not read", async (t) => {
  const before = target.residentKb();
  for (let i = 0; i < 40; i++) {
    const body = configMap(`large-${i}`, { text: "x".repeat(eventBytes) });
    assert.equal((await send({ session: writer, authorization: target.authorization }, "POST", configMaps, { body })).status, 201);
  }
  const sockets = await Promise.all(Array.from({ length: 50 }, () => openUnread(configMaps)));
  const session = await target.http2({ windowSize: 1_000 });
  const streams = Array.from({ length: 50 }, () => session.request({ ":path": configMaps, authorization: target.authorization }));
  for (const stream of streams) stream.on("error", () => undefined).pause();
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.once("response", () => resolve()))));
  const whole = await target.fresh("GET", configMaps);
  assert.equal(whole.body.items.length, 41);
  if (before === undefined) t.diagnostic("not measured: the system does not tell how much memory a process has");
  else {
    const grown = (target.residentKb() ?? 0) - before;
    t.diagnostic(`the server grew by ${grown} kB while 1 GB waited to be read`);
    assert.ok(grown < maxKb, `${grown} kB more`);
  }
  for (const socket of sockets) socket.destroy();
  session.destroy();
  assert.equal((await target.fresh("GET", `${configMaps}/busy`)).status, 200);
});

const closed = (stream: ClientHttp2Stream): Promise<void> =>
  stream.closed ? Promise.resolve() : new Promise((resolve) => void stream.once("close", () => resolve()));

/** Reads what was on its way; the answer must then end without its last chunk. */
function isCutOff(socket: TLSSocket): Promise<boolean> {
  return within(
    "a watch on HTTP/1.1 to be cut off",
    new Promise((resolve) => {
      socket.once("close", () => resolve(true));
      socket.resume();
    }),
  );
}
