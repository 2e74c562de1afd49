import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import { textReply } from "../http/exchange.ts";
import { withRequestTimeout } from "./request-timeout.ts";

const nothing = new Uint8Array(0);
const requestTo = (path: string): HttpRequest => ({
  method: "GET",
  path,
  query: "",
  headers: {},
  remoteAddress: "127.0.0.1",
  http1: false,
});

function setUp() {
  const clock = new ManualClock();
  const logged: object[] = [];
  const handled = Promise.withResolvers<Reply>();
  const log = { warn: (fields: object) => void logged.push(fields) };
  const handle = withRequestTimeout(() => handled.promise, { requestTimeoutMs: 60_000, clock, log });
  const statuses: number[] = [];
  const send = (path: string) =>
    handle(requestTo(path), nothing).then(
      ({ status }) => void statuses.push(status),
      ({ message }: Error) => void statuses.push(message.length),
    );
  return { clock, logged, handled, statuses, send };
}

test("a request without an answer is answered with 504 once its time is over twice, and logged", async () => {
  const { clock, logged, handled, statuses, send } = setUp();
  const sent = send("/api/v1/namespaces/x/pods/a");
  await clock.advance(60_000);
  await clock.advance(59_999);
  assert.deepEqual(statuses, []);
  await clock.advance(1);
  await sent;
  assert.deepEqual(statuses, [504]);
  assert.deepEqual(logged, [{ method: "GET", path: "/api/v1/namespaces/x/pods/a" }]);
  let isDiscarded = false;
  handled.resolve({ status: 200, contentType: "", body: { kind: "stream", start: () => undefined, discard: () => (isDiscarded = true) } });
  await clock.advance(0);
  assert.deepEqual({ statuses, isDiscarded }, { statuses: [504], isDiscarded: true });
});

test("an answer in time is the answer, and a failure the failure", async () => {
  const answered = setUp();
  const first = answered.send("/api/v1/pods");
  answered.handled.resolve(textReply(200, "ok"));
  await first;
  await answered.clock.advance(60_000);
  assert.deepEqual({ statuses: answered.statuses, logged: answered.logged }, { statuses: [200], logged: [] });
  const failed = setUp();
  const second = failed.send("/api/v1/pods");
  failed.handled.reject(new Error("four"));
  await second;
  assert.deepEqual({ statuses: failed.statuses, timers: failed.clock.waiting }, { statuses: [4], timers: 0 });
});

test("what may take as long as it likes has no such bound", async () => {
  const { clock, logged, handled, statuses, send } = setUp();
  const sent = send("/api/v1/namespaces/x/pods/a/log");
  await clock.advance(120_000);
  assert.deepEqual({ statuses, logged }, { statuses: [], logged: [] });
  handled.resolve(textReply(200, "a line"));
  await sent;
  assert.deepEqual(statuses, [200]);
});
