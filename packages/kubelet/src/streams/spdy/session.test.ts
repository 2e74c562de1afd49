import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { quiescence } from "@coxswain/machinery/testing";
import { dataFrame, synStream } from "./frames.ts";
import { HeaderPacker } from "./header-block.ts";
import { SpdySession } from "./session.ts";
import { SpdyError } from "./spdy-error.ts";
import type { SpdyStream } from "./stream.ts";

type Take = (stream: SpdyStream) => unknown;

function sessions(onServer: Take, onClient?: Take) {
  const [left, right] = duplexPair();
  const server = new SpdySession({ connection: right, side: "server", onStream: (stream) => void onServer(stream) });
  const client = new SpdySession({
    connection: left,
    side: "client",
    ...(onClient === undefined ? {} : { onStream: (stream: SpdyStream) => void onClient(stream) }),
  });
  return { client, server, left, right };
}

async function all(stream: SpdyStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.readable) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function echo(stream: SpdyStream): Promise<void> {
  for await (const chunk of stream.readable) await stream.write(chunk);
  await stream.end();
}

test("streams of both ends, each with its headers, half closed and then over", async () => {
  const seen: object[] = [];
  const { client, server } = sessions((stream) => {
    seen.push({ id: stream.id, ...stream.headers });
    return echo(stream);
  }, echo);
  const first = client.open({ streamtype: "data", port: "80" });
  const second = client.open({ streamtype: "error", port: "80" });
  await first.write(Buffer.from("hello"));
  await first.end();
  await second.end();
  assert.equal(await all(first), "hello");
  assert.equal(await all(second), "");
  const back = server.open({ from: "server" });
  await back.write(Buffer.from("back"));
  await back.end();
  assert.equal(await all(back), "back");
  assert.deepEqual(seen, [
    { id: 1, streamtype: "data", port: "80" },
    { id: 3, streamtype: "error", port: "80" },
  ]);
  await client.end();
  await Promise.all([client.closed, server.closed]);
  assert.throws(() => client.open({}), SpdyError);
});

test("several streams carry much data at a time, each completely and in order", async () => {
  const { client } = sessions(echo);
  using _end = client;
  const lines = (name: number) => Array.from({ length: 20_000 }, (_, i) => `${name} line ${i}\n`).join("");
  const results = [0, 1, 2, 3].map(async (name) => {
    const stream = client.open({ name: String(name) });
    const read = all(stream);
    await stream.write(Buffer.from(lines(name)));
    void stream.end();
    assert.equal(await read, lines(name));
  });
  await Promise.all(results);
});

test("a stream that is not read makes its writer wait, and no other stream", async () => {
  const taken: SpdyStream[] = [];
  const { client } = sessions((stream) => (stream.headers.unread === undefined ? echo(stream) : taken.push(stream)));
  using _end = client;
  const unread = client.open({ unread: "" });
  await quiescence({ observe: () => taken.length });
  let sent = 0;
  const flood = (async () => {
    for (; sent < 8 * 1024 * 1024; sent += 64 * 1024) await unread.write(Buffer.alloc(64 * 1024));
    await unread.end();
  })();
  await quiescence({ observe: () => sent });
  assert.ok(sent <= 512 * 1024, `${sent} bytes went out`);
  const other = client.open({ other: "" });
  void other.write(Buffer.from("through"));
  await other.end();
  assert.equal(await all(other), "through");
  assert.equal((await all(taken[0]!)).length, 8 * 1024 * 1024);
  await flood;
});

test("a peer that sends without flow control waits for all streams", async () => {
  const [left, right] = duplexPair();
  const taken: SpdyStream[] = [];
  const server = new SpdySession({ connection: right, side: "server", onStream: (stream) => void taken.push(stream) });
  using _end = server;
  left.resume();
  left.write(synStream(1, new HeaderPacker().pack({}), false));
  let sent = 0;
  const flood = (async () => {
    for (; sent < 100; sent++) await new Promise((done) => left.write(dataFrame(1, Buffer.alloc(256 * 1024), sent === 99), done));
  })();
  await quiescence({ observe: () => sent });
  assert.ok(sent >= 16 && sent < 20, `${sent} frames went out`);
  assert.equal((await all(taken[0]!)).length, 100 * 256 * 1024);
  await flood;
});

test("a reset ends what is read, and what is written fails", async () => {
  const { client } = sessions((stream) => stream.reset());
  using _end = client;
  const stream = client.open({});
  assert.equal(await all(stream), "");
  await assert.rejects(stream.write(Buffer.from("x")), SpdyError);
  const open = client.open({});
  const { client: other, left } = sessions(() => undefined);
  const cut = other.open({});
  left.destroy();
  await assert.rejects(all(cut), SpdyError);
  open.reset();
});

test("streams without a handler are refused", async () => {
  const { server, client } = sessions(() => undefined);
  using _end = client;
  assert.equal(await all(server.open({})), "");
});

const control = (type: number, payload: string, { version = 3, length = payload.length / 2 } = {}) =>
  Buffer.concat([Buffer.from([0x80, version, 0, type, 0, length >> 16, length >> 8, length]), Buffer.from(payload, "hex")]);
const open = (id: number, packer = new HeaderPacker()) => synStream(id, packer.pack({}), false);
const bomb = synStream(1, new HeaderPacker().pack({ a: "0".repeat(10_000_000) }), false);

const hostile = [
  { name: "another version", bytes: control(6, "00000001", { version: 2 }) },
  { name: "a control frame that is too long", bytes: control(8, "", { length: 0xffffff }) },
  { name: "a frame that is too short", bytes: control(9, "0000") },
  { name: "headers that are no deflate stream", bytes: control(1, "00000001000000000000ffffffffffff") },
  { name: "headers that swell", bytes: bomb },
  { name: "a stream of the wrong end", bytes: open(2) },
  { name: "a window that is too large", bytes: control(4, "0000000100000007ffffffff") },
  { name: "pings whose answers are not read", bytes: Buffer.concat(Array.from({ length: 100_000 }, () => control(6, "00000001"))) },
];
for (const { name, bytes } of hostile) {
  test(`${name} ends the connection`, async () => {
    const [left, right] = duplexPair();
    const server = new SpdySession({ connection: right, side: "server", onStream: () => undefined });
    left.write(bytes);
    await server.closed;
    assert.throws(() => server.open({}), SpdyError);
  });
}

test("a stream twice ends the connection", async () => {
  const [left, right] = duplexPair();
  const server = new SpdySession({ connection: right, side: "server", onStream: () => undefined });
  const packer = new HeaderPacker();
  left.write(Buffer.concat([open(3, packer), open(3, packer)]));
  await server.closed;
});
