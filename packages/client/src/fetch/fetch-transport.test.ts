import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { createClient } from "../client/create-client.ts";
import { podExec } from "../streams/pod-exec.ts";
import { startPod } from "../streams/pod-under-test.ts";
import { ConnectionError, type TransportRequest } from "../transport/transport.ts";
import { fetchTransport } from "./fetch-transport.ts";

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({ method: "GET", path, headers: {}, ...more });
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

test("requests and answers, under the path of a proxy", async () => {
  await using server = await serve((request, response) => {
    response.setHeader("x-seen", `${request.method} ${request.url} ${request.headers.authorization} ${request.headers["x-always"]}`);
    request.pipe(response);
  });
  const credentials = { current: () => Promise.resolve({ authorization: "Bearer t" }) };
  await using transport = fetchTransport({ server: `${server.url}/proxy/`, headers: { "x-always": "yes" }, credentials });
  const answer = await transport.send({
    method: "PUT",
    path: "/api/v1?a=b",
    headers: { "content-type": "text/plain" },
    body: Buffer.from("hello"),
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["x-seen"], "PUT /proxy/api/v1?a=b Bearer t yes");
  assert.equal(text(await answer.bytes()), "hello");
});

test("a body as it comes, until it is left, aborted, or cut off", async () => {
  const closed: string[] = [];
  await using server = await serve((request, response) => {
    response.write("first");
    request.socket.once("close", () => closed.push(String(request.url)));
  });
  await using transport = fetchTransport({ server: server.url });
  for await (const chunk of (await transport.send(get("/left"))).chunks()) {
    assert.equal(text(chunk), "first");
    break;
  }
  const stop = new AbortController();
  const aborted = (await transport.send(get("/aborted", { signal: stop.signal }))).chunks()[Symbol.asyncIterator]();
  await aborted.next();
  const over = assert.rejects(aborted.next(), { message: "enough" });
  stop.abort(new Error("enough"));
  await over;
  (await transport.send(get("/cancelled"))).cancel();
  await waitUntil("three closed requests", () => closed.length >= 3);
  assert.deepEqual(closed.sort(), ["/aborted", "/cancelled", "/left"]);
  const cut = (await transport.send(get("/cut"))).chunks()[Symbol.asyncIterator]();
  await cut.next();
  const broken = assert.rejects(cut.next(), ConnectionError);
  server.cut();
  await broken;
});

test("no server, and a transport that is closed", async () => {
  const server = await serve(() => undefined);
  const transport = fetchTransport({ server: server.url });
  const waiting = assert.rejects(transport.send(get("/")), { message: "the client is closed" });
  await transport[Symbol.asyncDispose]();
  await waiting;
  await assert.rejects(transport.send(get("/")), (error) => error instanceof ConnectionError && error.unsent);
  await server[Symbol.asyncDispose]();
  await assert.rejects(fetchTransport({ server: server.url }).send(get("/")), ConnectionError);
});

test("WebSockets carry the token as a subprotocol", async () => {
  await using pod = await startPod();
  const credentials = { current: () => Promise.resolve({ authorization: "Bearer tökén?>" }) };
  const transport = fetchTransport({ server: pod.server, credentials });
  await using client = createClient({ transport, clock: systemClock, random: systemRandom });
  using run = await podExec(client, "web", { command: ["cat"], stdin: true });
  await run.write(new TextEncoder().encode("hello"));
  const first = await run.output[Symbol.asyncIterator]().next();
  assert.equal(text(first.value?.data), "hello");
  await run.end();
  assert.equal(await run.exit(), 0);
  const token = Buffer.from("tökén?>").toString("base64url");
  assert.deepEqual(pod.offered, [["v5.channel.k8s.io", "v4.channel.k8s.io", `base64url.bearer.authorization.k8s.io.${token}`]]);
  await assert.rejects(podExec(client, { name: "x", namespace: "secret" }, { command: ["cat"] }), ConnectionError);
});
