/** Bodies over 3 MiB are refused with 413, announced or not, and whoever sends one does not harm the others. */
import assert from "node:assert/strict";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { type Answer, collect, configMap, configMaps, send, startTarget, type Target, within } from "./target.ts";

const limit = 3 * 1024 * 1024;
let target: Target;
before(async () => {
  target = await startTarget();
});
after(() => target[Symbol.asyncDispose]());

function assertTooLarge({ status, body }: Answer): void {
  assert.equal(status, 413);
  assert.deepEqual(body, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Request entity too large: limit is ${limit}`,
    reason: "RequestEntityTooLarge",
    code: 413,
  });
}

const space = Buffer.alloc(1024 * 1024, " ");

for (const bytes of [limit + 1, 20 * limit]) {
  for (const announced of [true, false]) {
    const how = `${bytes} bytes, ${announced ? "announced" : "not announced"}`;
    test(`HTTP/2: ${how}; the connection stays usable`, async () => {
      const session = await target.http2();
      const headers = { ":method": "POST", ":path": configMaps, authorization: target.authorization, "content-type": "application/json" };
      const stream = session.request(announced ? { ...headers, "content-length": bytes } : headers);
      stream.on("error", () => undefined);
      for (let sent = 0; sent < bytes; sent += space.byteLength) stream.write(space.subarray(0, Math.min(space.byteLength, bytes - sent)));
      assertTooLarge(await within("413", collect(stream)));
      const next = await send({ session: session, authorization: target.authorization }, "GET", configMaps);
      assert.equal(next.status, 200);
      session.destroy();
    });

    test(`HTTP/1.1: ${how}`, async () => assertTooLarge(await within("413", postHttp1(bytes, announced))));
  }
}

test("a body of just the limit is read", async () => {
  const body = Buffer.concat([Buffer.from(configMap("full"))], limit).fill(" ", configMap("full").length);
  for (const answer of [await target.fresh("POST", configMaps, { body }), await target.http1("POST", configMaps, { body })])
    assert.ok(answer.status === 201 || answer.status === 409, answer.text);
});

test("many at once leave no memory behind", async (t) => {
  const before = target.residentKb();
  if (before === undefined) return t.skip("the system does not tell how much memory a process has");
  await Promise.all(Array.from({ length: 20 }, () => postHttp1(20 * limit, false)));
  const grown = (target.residentKb() ?? 0) - before;
  assert.ok(grown < 200 * 1024, `${grown} kB more`);
});

test("a content-length that is none", async () => {
  for (const length of ["-1", "abc", "1e3", "99999999999999999999999"]) {
    const socket = await target.raw("http/1.1");
    socket.write(`POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    const answer = await within(
      "an answer",
      new Promise<string>((resolve) => socket.once("data", (data: Buffer) => resolve(data.toString()))),
    );
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, length);
    socket.destroy();
  }
});

/** Writes as fast as the server takes it, as an upload of a large file does. */
function postHttp1(bytes: number, announced: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: target.authorization, ...(announced ? { "content-length": String(bytes) } : {}) };
    const options = { host: "127.0.0.1", port: target.port, rejectUnauthorized: false, method: "POST", path: configMaps, headers };
    const req = request({ ...options, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text, body: JSON.parse(text) });
        req.destroy();
      });
    });
    req.on("error", reject);
    let sent = 0;
    const more = (): void => {
      while (sent < bytes && !req.destroyed) {
        const chunk = space.subarray(0, Math.min(space.byteLength, bytes - sent));
        sent += chunk.byteLength;
        if (!req.write(chunk)) return void req.once("drain", more);
      }
      req.end();
    };
    more();
  });
}
