/** What is particular to clients that reach a server over a message port. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiServer, HttpRequest, Reply, Sink } from "@coxswain/apiserver";
import { ConnectionError, type Transport, type TransportRequest } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { InProcessCallers, type InProcessUser } from "coxswain";
import { connectPorts } from "./port-server.ts";

const jane: InProcessUser = { name: "jane", groups: ["people"] };
const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({ method: "GET", path, headers: {}, ...more });
const text = (status: number, words: string): Reply => ({
  status,
  contentType: "text/plain",
  body: { kind: "bytes", bytes: Buffer.from(words) },
});
const isLost = (error: unknown): boolean => error instanceof ConnectionError;

interface Connected extends Disposable {
  readonly transport: Transport;
  readonly callers: InProcessCallers;
  readonly closeServerEnd: () => void;
}

function connected(handle: ApiServer["handle"], isAllowed?: (user: InProcessUser) => boolean): Connected {
  const callers = new InProcessCallers();
  const ports = connectPorts({ handle }, callers, isAllowed);
  return {
    ...{ transport: ports.client.connect(jane), callers },
    closeServerEnd: () => ports.port.close(),
    [Symbol.dispose]: () => ports[Symbol.dispose](),
  };
}

/** A handler that answers with a stream, and its sinks. */
function streaming(): { readonly handle: ApiServer["handle"]; readonly sinks: Sink[] } {
  const sinks: Sink[] = [];
  const start = (sink: Sink): void => void sinks.push(sink);
  return { sinks, handle: async () => ({ status: 200, contentType: "application/json", body: { kind: "stream", start } }) };
}

test("message port: a request arrives as it was sent, from the user of its transport, and the answer comes back", async () => {
  let seen: unknown;
  let authentication: Awaited<ReturnType<InProcessCallers["authenticator"]>> | undefined;
  using port = connected(async (request: HttpRequest, body) => {
    const { method, path, query, headers } = request;
    authentication = await port.callers.authenticator(request);
    seen = { method, path, query, headers, body: Buffer.from(body as Uint8Array).toString() };
    return { ...text(201, "made"), headers: { warning: ["one", "two"], "audit-id": "7" } };
  });
  const body = Buffer.from("--an object--").subarray(2, 11);
  const answer = await port.transport.send({ ...get("/api/v1/pods?limit=1"), method: "POST", headers: { accept: "x/y" }, body });
  const request = { method: "POST", path: "/api/v1/pods", query: "limit=1", headers: { accept: "x/y" }, body: "an object" };
  assert.deepEqual(seen, request);
  assert.ok(authentication?.kind === "authenticated");
  assert.deepEqual(authentication.user, { name: "jane", uid: "jane", groups: ["people", "system:authenticated"], extra: {} });
  assert.equal(answer.status, 201);
  assert.deepEqual([answer.headers.warning, answer.headers["audit-id"]], ["one, two", "7"]);
  assert.equal(Buffer.from(await answer.bytes()).toString(), "made");
});

test("message port: it serves nobody but whom it is for, and says nothing of what there is", async () => {
  let asked = 0;
  using port = connected(
    async () => text(200, String(++asked)),
    ({ name }) => name === "joe",
  );
  await assert.rejects(port.transport.send(get("/version")), /the port is not for this user/);
  assert.equal(asked, 0);
});

test("message port: an abort ends the request with its reason, and what the server then answers is dropped", async () => {
  const work = Promise.withResolvers<Reply>();
  let discarded = 0;
  using port = connected(() => work.promise);
  const stop = new AbortController();
  const sent = port.transport.send(get("/watch", { signal: stop.signal }));
  stop.abort(new Error("enough"));
  await assert.rejects(sent, /enough/);
  // Behind the cancellation on the same port.
  const body = { kind: "stream", start: () => assert.fail("nobody reads it"), discard: () => void discarded++ } as const;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  work.resolve({ status: 200, contentType: "x", body });
  await waitUntil("the answer is discarded", () => discarded === 1);
});

test("message port: an abort ends a watch, on both ends", async () => {
  const { handle, sinks } = streaming();
  using port = connected(handle);
  const stop = new AbortController();
  const answer = await port.transport.send(get("/watch", { signal: stop.signal }));
  const chunks = answer.chunks()[Symbol.asyncIterator]();
  sinks[0]?.write(Buffer.from("one"));
  assert.equal(Buffer.from((await chunks.next()).value ?? []).toString(), "one");
  stop.abort(new Error("enough"));
  await assert.rejects(chunks.next(), /enough/);
  await waitUntil("the server's end is closed", () => sinks[0]?.closed === true);
});

test("message port: who reads no more has its watch ended, and the writer learns how far behind it is", async () => {
  const { handle, sinks } = streaming();
  using port = connected(handle);
  const answer = await port.transport.send(get("/watch"));
  const [sink] = sinks;
  assert.ok(sink !== undefined && sink.maxBuffered !== undefined);
  const event = Buffer.alloc(1024 * 1024, "x");
  // As a watch does it (apiserver's watch/watcher.ts).
  while (sink.buffered <= sink.maxBuffered) sink.write(event);
  sink.abort();
  await assert.rejects(Array.fromAsync(answer.chunks()), isLost);
});

test("message port: what is read makes room again, and a writer that waits goes on", async () => {
  const { handle, sinks } = streaming();
  using port = connected(handle);
  const answer = await port.transport.send(get("/watch"));
  const [sink] = sinks;
  assert.ok(sink !== undefined);
  const part = Buffer.alloc(100_000, "x");
  const writing = (async () => {
    for (let i = 0; i < 100; i++) {
      if (!sink.write(part)) await sink.drained();
      assert.ok(sink.buffered < 1_000_000, `${sink.buffered} bytes unread`);
    }
    sink.end();
  })();
  let read = 0;
  for await (const chunk of answer.chunks()) read += chunk.byteLength;
  await writing;
  assert.equal(read, 100 * part.byteLength);
});

test("message port: a list is made while it is read", async () => {
  let made = 0;
  function* chunks(): Generator<Uint8Array> {
    for (; made < 100; made++) yield Buffer.alloc(100_000, "x");
  }
  using port = connected(async () => ({ status: 200, contentType: "x", body: { kind: "chunks", chunks: chunks() } }));
  const answer = await port.transport.send(get("/list"));
  const parts = answer.chunks()[Symbol.asyncIterator]();
  await parts.next();
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(made < 10, `${made} of 100 chunks after one was read`);
  let read = 1;
  while ((await parts.next()).done !== true) read++;
  assert.equal(read, 100);
});

test("message port: an answer that breaks off is not taken for a whole one", async () => {
  function* chunks(): Generator<Uint8Array> {
    yield Buffer.from("[");
    throw new Error("the store is gone");
  }
  using port = connected(async () => ({ status: 200, contentType: "x", body: { kind: "chunks", chunks: chunks() } }));
  const answer = await port.transport.send(get("/list"));
  await assert.rejects(answer.bytes(), isLost);
});

test("message port: each of several watches gets an event whole", async () => {
  const { handle, sinks } = streaming();
  using port = connected(handle);
  const answers = await Promise.all(Array.from({ length: 3 }, () => port.transport.send(get("/watch"))));
  const event = Buffer.from('{"type":"ADDED"}');
  for (const sink of sinks) {
    sink.write(event);
    sink.end();
  }
  for (const answer of answers) assert.equal(Buffer.from(await answer.bytes()).toString(), event.toString());
});

test("message port: with its other end closed nothing is waited for, and nothing begun", async () => {
  const { handle, sinks } = streaming();
  let hangs = 0;
  using port = connected(async (request, body) => {
    if (request.path === "/watch") return handle(request, body);
    hangs++;
    return new Promise<Reply>(() => undefined);
  });
  const watch = await port.transport.send(get("/watch"));
  const hanging = port.transport.send(get("/hang"));
  await waitUntil("the request has arrived", () => hangs === 1);
  port.closeServerEnd();
  await Promise.all([assert.rejects(hanging, isLost), assert.rejects(Array.fromAsync(watch.chunks()), isLost)]);
  assert.equal(sinks[0]?.closed, true);
  await assert.rejects(port.transport.send(get("/version")), (error) => error instanceof ConnectionError && error.unsent);
});

test("message port: a transport that is closed gives up its own requests alone", async () => {
  const { handle } = streaming();
  const callers = new InProcessCallers();
  using ports = connectPorts({ handle }, callers);
  const [one, other] = [ports.client.connect(jane), ports.client.connect({ name: "joe" })];
  const [ended, kept] = [await one.send(get("/watch")), await other.send(get("/watch"))];
  await one[Symbol.asyncDispose]();
  await assert.rejects(Array.fromAsync(ended.chunks()), isLost);
  await assert.rejects(one.send(get("/watch")), (error) => error instanceof ConnectionError && error.unsent);
  assert.equal((await other.send(get("/watch"))).status, 200);
  kept.cancel();
});
