/** Clients that connect and do little or nothing: a thousand of them cost little, and none stays for ever. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { describe, type TestContext, test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { startCluster } from "coxswain";
import { collect, configMaps, startTarget, within } from "./target.ts";

const count = 500;
const maxKb = 300 * 1024;

test(`${2 * count} idle connections at once: others are served, memory is bounded, all are let go at the end`, async (t) => {
  await using target = await startTarget();
  const before = target.residentKb();
  const sockets: TLSSocket[] = [];
  for (let i = 0; i < count; i += 50) {
    const some = Array.from({ length: 50 }, () => [target.raw("http/1.1"), target.raw("h2")]).flat();
    sockets.push(...(await Promise.all(some)));
  }
  const { port } = target;
  for (const socket of sockets) {
    if (socket.alpnProtocol === "h2") socket.write(Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1"));
    else socket.write(`GET /version HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
  }
  assert.equal((await target.fresh("GET", configMaps)).status, 200);
  assert.equal((await target.http1("GET", configMaps)).status, 200);
  if (before === undefined) t.diagnostic("not measured: the system does not tell how much memory a process has");
  else {
    const grown = (target.residentKb() ?? 0) - before;
    t.diagnostic(`the server grew by ${grown} kB`);
    assert.ok(grown < maxKb, `${grown} kB more`);
  }
  const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.resume().once("close", resolve))));
  await within("the process to end", target.command.stop());
  await within("the connections to close", closed);
});

/** Short times, so that running out of them can be seen, but long enough for a request to come through. */
const limits = { headersMs: 2_000, requestMs: 3_000, idleMs: 2_000 };

async function startImpatient(t: TestContext): Promise<{ port: number; authorization: string }> {
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const cluster = await startCluster(
    {
      dataDir: undefined,
      address: "127.0.0.1",
      port: 0,
      kubeconfig: undefined,
      tokenAuthFile: undefined,
      logLevel: "silent",
      controllers: [],
      scheduler: false,
      schedulerConfig: undefined,
      node: undefined,
    },
    { clock: systemClock, random: systemRandom, log: silent, version: "0.0.0", platform: "linux/amd64", limits },
  );
  t.after(() => cluster.close());
  const token = /token: (\S+)/.exec(readFileSync(cluster.kubeconfig, "utf8"))?.[1];
  return { port: Number(new URL(cluster.server).port), authorization: `Bearer ${token}` };
}

/** Sends the text and returns all that comes until the server closes the connection. */
function untilClosed(port: number, protocol: string, text: string | Uint8Array): Promise<string> {
  return within(
    "the connection to be closed",
    new Promise((resolve) => {
      let received = "";
      const socket = connectTls(
        { host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: [protocol] },
        () => void socket.write(text),
      );
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("latin1");
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(received));
    }),
  );
}

describe("what takes for ever", { concurrency: true }, () => {
  test("a request whose headers do not end is answered with 408 and closed", async (t) => {
    const { port } = await startImpatient(t);
    assert.match(await untilClosed(port, "http/1.1", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: "), /^HTTP\/1\.1 408 /);
  });

  test("a connection on which nothing is said is closed, and one after its request", async (t) => {
    const { port } = await startImpatient(t);
    const [silent, done, preface] = await Promise.all([
      untilClosed(port, "http/1.1", ""),
      untilClosed(port, "http/1.1", "GET /version HTTP/1.1\r\nhost: x\r\n\r\n"),
      untilClosed(port, "h2", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1")),
    ]);
    assert.match(silent, /^$|^HTTP\/1\.1 408 /);
    assert.match(done, /^HTTP\/1\.1 200 /);
    assert.ok(preface.length > 0);
  });

  test("a body that does not come is answered with 504 on HTTP/1.1", async (t) => {
    const { port, authorization } = await startImpatient(t);
    const head = `POST ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 100\r\n\r\n{`;
    const answer = await untilClosed(port, "http/1.1", head);
    assert.match(answer, /^HTTP\/1\.1 504 /);
    assert.match(answer, /"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout"/);
  });

  test("a body that does not come is answered with 504 on HTTP/2, and the connection stays", async (t) => {
    const { port, authorization } = await startImpatient(t);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    t.after(() => session.destroy());
    const watch = session.request({ ":path": `${configMaps}?watch=1`, authorization });
    await within("the watch", new Promise((resolve) => watch.once("response", resolve)));
    const stream = session.request({ ":method": "POST", ":path": configMaps, authorization, "content-type": "application/json" });
    stream.write("{");
    const { status, body } = await within("504", collect(stream));
    assert.equal(status, 504);
    assert.equal(body.reason, "Timeout");
    assert.equal((await collect(session.request({ ":path": configMaps, authorization }))).status, 200);
    assert.equal(watch.closed, false, "a watch may take as long as it likes");
  });

  test("an answer that is not read ends after its time", async (t) => {
    const { port, authorization } = await startImpatient(t);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, settings: { initialWindowSize: 100 } });
    t.after(() => session.destroy());
    const stream = session.request({ ":path": "/openapi/v2", authorization });
    stream.on("error", () => undefined);
    await within("the stream to be closed", new Promise((resolve) => stream.once("close", resolve)));
    assert.notEqual(stream.rstCode, 0);
  });
});
