/** HTTP/2 frames as no client sends them: the connection pays, the server does not. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { configMap, configMaps, startTarget, type Target, within } from "./target.ts";

const maxKb = 300 * 1024;
let target: Target;
before(async () => {
  target = await startTarget();
  assert.equal((await target.fresh("POST", configMaps, { body: configMap("cm") })).status, 201);
});
after(() => target[Symbol.asyncDispose]());

const types = { data: 0, headers: 1, priority: 2, rstStream: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 };
const endStream = 1;
const endHeaders = 4;

function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const bytes = Buffer.alloc(9 + payload.byteLength);
  bytes.writeUIntBE(payload.byteLength, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

const preface = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(types.settings, 0, 0)]);

/** HPACK literals without indexing; the server takes them uncompressed. */
function headerBlock(fields: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value);
    if (bytes.byteLength < 127) return Buffer.concat([Buffer.from([bytes.byteLength]), bytes]);
    const length = [127];
    let rest = bytes.byteLength - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 128);
    return Buffer.concat([Buffer.from([...length, rest]), bytes]);
  };
  return Buffer.concat(Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

const get = (path: string): Buffer =>
  headerBlock({ ":method": "GET", ":scheme": "https", ":authority": "localhost", ":path": path, authorization: target.authorization });

/** Writes piece after piece until the connection is closed or there is no more. */
async function flood(socket: TLSSocket, pieces: Iterable<Uint8Array>): Promise<void> {
  socket.resume();
  socket.write(preface);
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    if (socket.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off("drain", done);
        socket.off("close", done);
        resolve();
      };
      socket.on("drain", done);
      socket.on("close", done);
    });
  }
}

function* repeat(count: number, one: (i: number) => Uint8Array, batch = 100): Iterable<Uint8Array> {
  for (let i = 0; i < count; i += batch) yield Buffer.concat(Array.from({ length: batch }, (_, j) => one(i + j)));
}

const id = (i: number): number => 2 * i + 1;
const cancel = Buffer.from([0, 0, 0, 8]);

test("one request of this kind is answered: the floods are made of real requests", async () => {
  const socket = await target.raw("h2");
  const answered = new Promise<void>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("ConfigMapList")) resolve();
    });
  });
  await flood(socket, [
    frame(types.priority, 0, 1, Buffer.from([0, 0, 0, 0, 1])),
    frame(types.ping, 0, 0, Buffer.alloc(8)),
    frame(types.headers, endStream | endHeaders, 1, get(configMaps)),
  ]);
  await within("the list", answered);
  socket.destroy();
});

const floods: readonly { readonly name: string; readonly pieces: () => Iterable<Uint8Array> }[] = [
  {
    name: "20,000 requests, each reset at once",
    pieces: () => {
      const block = get(configMaps);
      return repeat(20_000, (i) =>
        Buffer.concat([frame(types.headers, endStream | endHeaders, id(i), block), frame(types.rstStream, 0, id(i), cancel)]),
      );
    },
  },
  {
    name: "20,000 watches, each reset at once",
    pieces: () => {
      const block = get(`${configMaps}?watch=1`);
      return repeat(20_000, (i) =>
        Buffer.concat([frame(types.headers, endStream | endHeaders, id(i), block), frame(types.rstStream, 0, id(i), cancel)]),
      );
    },
  },
  {
    name: "20,000 requests that wait for nothing",
    pieces: () => {
      const block = get(configMaps);
      return repeat(20_000, (i) => frame(types.headers, endStream | endHeaders, id(i), block));
    },
  },
  {
    name: "20,000 bodies that never end",
    pieces: () => {
      const block = headerBlock({
        ":method": "POST",
        ":scheme": "https",
        ":authority": "x",
        ":path": configMaps,
        authorization: target.authorization,
      });
      return repeat(20_000, (i) => frame(types.headers, endHeaders, id(i), block));
    },
  },
  {
    name: "headers that go on and on in CONTINUATION frames",
    pieces: function* () {
      yield frame(types.headers, endStream, 1, get(configMaps));
      yield* repeat(2_000, (i) => frame(types.continuation, 0, 1, headerBlock({ [`x-${i}`]: "y".repeat(8_000) })));
    },
  },
  {
    name: "empty CONTINUATION frames",
    pieces: function* () {
      yield frame(types.headers, endStream, 1, get(configMaps));
      yield* repeat(100_000, () => frame(types.continuation, 0, 1));
    },
  },
  { name: "100,000 SETTINGS", pieces: () => repeat(100_000, () => frame(types.settings, 0, 0, Buffer.from([0, 4, 0, 0, 255, 255]))) },
  { name: "100,000 PINGs", pieces: () => repeat(100_000, () => frame(types.ping, 0, 0, Buffer.alloc(8))) },
  { name: "100,000 PRIORITY frames", pieces: () => repeat(100_000, (i) => frame(types.priority, 0, id(i), Buffer.from([0, 0, 0, 0, 1]))) },
  {
    name: "empty DATA frames",
    pieces: function* () {
      yield frame(
        types.headers,
        endHeaders,
        1,
        headerBlock({ ":method": "POST", ":scheme": "https", ":authority": "x", ":path": configMaps }),
      );
      yield* repeat(100_000, () => frame(types.data, 0, 1));
    },
  },
  {
    name: "window updates beyond all windows",
    pieces: () => repeat(1_000, () => frame(types.windowUpdate, 0, 0, Buffer.from([0x7f, 255, 255, 255]))),
  },
  {
    name: "10,000 headers in one request",
    pieces: () => [
      frame(
        types.headers,
        endStream | endHeaders,
        1,
        Buffer.concat([get(configMaps), ...Array.from({ length: 1_500 }, (_, i) => headerBlock({ [`x-${i}`]: "y" }))]),
      ),
    ],
  },
  { name: "a frame of 16 MB", pieces: () => [frame(types.headers, endStream | endHeaders, 1, Buffer.alloc(16_000_000))] },
  {
    name: "HPACK that refers to nothing",
    pieces: () => [frame(types.headers, endStream | endHeaders, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f]))],
  },
  { name: "nothing but noise", pieces: () => repeat(1_000, (i) => Buffer.from(`${i * 7919} noise`.repeat(20))) },
];
for (const { name, pieces } of floods)
  test(name, async (t) => {
    const before = target.residentKb();
    const socket = await target.raw("h2");
    await within("the flood to end", flood(socket, pieces()));
    const { status } = await within("a fresh client's answer", target.fresh("GET", `${configMaps}/cm`));
    assert.equal(status, 200);
    const closed = socket.destroyed || !socket.writable;
    t.diagnostic(`the flooding connection is ${closed ? "closed" : "open"}`);
    socket.destroy();
    if (before === undefined) t.diagnostic("not measured: the system does not tell how much memory a process has");
    else assert.ok((target.residentKb() ?? 0) - before < maxKb, `${(target.residentKb() ?? 0) - before} kB more`);
  });

test("no more streams at once than were agreed", async () => {
  const session = await target.http2();
  assert.ok((session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY) <= 1_000);
  session.destroy();
});

test("after all floods no watch is left behind", async () => {
  const { text } = await target.fresh("GET", "/metrics");
  assert.match(text, /apiserver_request_total/);
  for (const line of text.split("\n")) if (/^apiserver_longrunning_requests\{.*WATCH/.test(line)) assert.match(line, / 0$/);
});
