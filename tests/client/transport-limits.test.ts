/** A server that allows little: requests wait for one another, and none is forgotten. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createClient, type TransportRequest } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { trusted } from "./transport-server.ts";

const get = (path: string, signal?: AbortSignal): TransportRequest => ({ method: "GET", path, headers: {}, signal });

/** One request at a time on each connection; each ends when the test says so. */
async function serveOneByOne() {
  const server = createSecureServer({ ...trusted.serving, settings: { maxConcurrentStreams: 1 } });
  const seen: { readonly path: string; readonly stream: ServerHttp2Stream }[] = [];
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined).respond({ ":status": 200 });
    const path = String(headers[":path"]);
    if (path === "/quick") stream.end();
    else seen.push({ path, stream });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    sessions,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

test("a request that waits for a connection gets one, or is aborted", async () => {
  await using server = await serveOneByOne();
  await using transport = http2Transport({ server: server.url, clock: systemClock, tls: { ca: trusted.cert }, maxConnections: 2 });
  await (await transport.send(get("/quick"))).bytes();
  const first = [await transport.send(get("/1")), await transport.send(get("/2"))];
  const leaves = new AbortController();
  const left = assert.rejects(transport.send(get("/leaves", leaves.signal)), { message: "enough" });
  // A server that has not cleared away a cancelled request refuses the next one; the client sends it again.
  const client = createClient({ transport, clock: systemClock, random: systemRandom });
  const third = client.request({ ...get("/3"), method: "POST" });
  const fourth = client.request({ ...get("/4"), method: "POST" });
  leaves.abort(new Error("enough"));
  await left;
  first[0]?.cancel();
  (await Promise.race([third, fourth])).cancel();
  await Promise.all([third, fourth]);
  assert.deepEqual(server.seen.map(({ path }) => path).sort(), ["/1", "/2", "/3", "/4"]);
  assert.equal(server.sessions.size, 2);
});

test("a server that takes no more requests on a connection lets those under way finish", async () => {
  await using server = await serveOneByOne();
  await using transport = http2Transport({ server: server.url, clock: systemClock, tls: { ca: trusted.cert } });
  const slow = await transport.send(get("/slow"));
  const [{ stream } = assert.fail("no request arrived")] = server.seen;
  stream.session?.goaway(0, 2 ** 31 - 1);
  await quiescence();
  assert.equal((await transport.send(get("/quick"))).status, 200);
  assert.equal(server.sessions.size, 2);
  stream.end("done");
  assert.equal(Buffer.from(await slow.bytes()).toString(), "done");
});
