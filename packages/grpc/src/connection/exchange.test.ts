import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { type GrpcHandler, type GrpcServerCall, serveGrpc } from "../../../../tests/grpc-server.ts";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import { type GrpcMethod, grpcMethods } from "../messages/methods.ts";
import { parseProto } from "../messages/proto-file.ts";
import { connectGrpc, type GrpcOptions } from "./grpc-connection.ts";

const methods = grpcMethods(
  parseProto("package t; service Echo { rpc Talk(stream Text) returns (stream Text); } message Text { string text = 1; }"),
  "t.Echo",
);
const talk = methods.get("Talk") as GrpcMethod;

function socketIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-grpc-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "s.sock");
}

async function serveTalk(t: TestContext, Talk: GrpcHandler, options: Partial<GrpcOptions> = {}) {
  const socket = socketIn(t);
  const server = await serveGrpc({ methods, handlers: { Talk }, socket });
  const connection = connectGrpc({ address: { path: socket }, clock: systemClock, ...options });
  t.after(() => {
    connection[Symbol.dispose]();
    server.stop();
  });
  return connection;
}

test("an exchange has messages both ways, with the metadata of its call", async (t) => {
  async function* Talk(requests: AsyncIterable<{ readonly text: string }>, { headers }: GrpcServerCall) {
    yield { text: String(headers.hasleader) };
    for await (const { text } of requests) yield { text: text.toUpperCase() };
  }
  const connection = await serveTalk(t, Talk as GrpcHandler);
  const abort = new AbortController();
  const { send, responses } = await connection.exchange(talk, { signal: abort.signal, metadata: { hasleader: "true" } });
  assert.deepEqual((await responses.next()).value, { text: "true" });
  for (const text of ["a", "b"]) {
    send({ text });
    assert.deepEqual((await responses.next()).value, { text: text.toUpperCase() });
  }
  abort.abort();
  assert.equal((await responses.next()).done, true);
  send({ text: "nobody hears this" });
});

test("an exchange that its reader leaves is cancelled, and so is one whose signal was aborted while it connected", async (t) => {
  const gone: AbortSignal[] = [];
  async function* Talk(_: never, { signal }: GrpcServerCall) {
    gone.push(signal);
    yield { text: "1" };
    await once(signal, "abort");
  }
  const connection = await serveTalk(t, Talk as GrpcHandler);
  const { responses } = await connection.exchange(talk, { signal: new AbortController().signal });
  for await (const _ of responses) break;
  await waitUntil("the server to see the end", () => gone.length === 1 && gone[0]?.aborted === true);
  await assert.rejects(connection.exchange(talk, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("each response is taken as it comes, until the signal, the server or what takes it ends that", async (t) => {
  async function* Talk(requests: AsyncIterable<{ readonly text: string }>) {
    for await (const { text } of requests) {
      if (text === "end") return;
      if (text === "fail") throw new GrpcError(grpcCodes.Aborted, "so it is");
      yield { text: text.toUpperCase() };
    }
  }
  const connection = await serveTalk(t, Talk as GrpcHandler);
  const take = async (last: string, abort = new AbortController()) => {
    const { send, each } = await connection.exchange(talk, { signal: abort.signal });
    const taken: unknown[] = [];
    const ended = each((response) => {
      const { text } = response as { readonly text: string };
      taken.push(text);
      if (text === "THROW") throw new TypeError("not this one");
      if (text === "ABORT") abort.abort();
    });
    for (const text of ["a", "b", last]) send({ text });
    return { taken, ended };
  };
  const cases = [
    { last: "end", taken: ["A", "B"] },
    { last: "abort", taken: ["A", "B", "ABORT"] },
    { last: "fail", taken: ["A", "B"], error: { code: grpcCodes.Aborted, details: "so it is" } },
    { last: "throw", taken: ["A", "B", "THROW"], error: { name: "TypeError", message: "not this one" } },
  ];
  for (const { last, taken: expected, error } of cases) {
    const { taken, ended } = await take(last);
    if (error === undefined) await ended;
    else await assert.rejects(ended, error);
    assert.deepEqual(taken, expected);
  }
});

test("a server that answers no ping is given up", async (t) => {
  const clock = new ManualClock();
  const path = socketIn(t);
  const accepted = Promise.withResolvers<Socket>();
  // Speaks HTTP/2 as far as to its settings, and then no more.
  const server = createServer((socket) => {
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    socket.resume().on("error", () => undefined);
    accepted.resolve(socket);
  });
  await once(server.listen(path), "listening");
  t.after(() => server.close());
  const connection = connectGrpc({ address: { path }, clock, keepalive: { everyMs: 10_000, timeoutMs: 3_000 } });
  t.after(() => connection[Symbol.dispose]());
  const { responses } = await connection.exchange(talk, { signal: new AbortController().signal });
  const ended = assert.rejects(responses.next(), { code: 14 });
  clock.advance(10_000);
  clock.advance(3_000);
  await ended;
  await once(await accepted.promise, "close");
  assert.equal(clock.waiting, 0);
});
