import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { HttpRequest } from "../contracts/http.ts";
import { textReply } from "../http/exchange.ts";
import { createPipeline } from "./pipeline.ts";
import type { Next, PipelineExchange, Stage } from "./stage.ts";

const request: HttpRequest = { method: "GET", path: "/a", query: "", headers: {}, remoteAddress: "", http1: false };
const ok: Next = async () => textReply(200, "ok");

function pipelineOf(stages: readonly Stage[], dispatch: Next = ok) {
  const handle = createPipeline({ stages, dispatch, clock: new ManualClock(), random: { uuid: () => "made" } });
  return (sent: Partial<HttpRequest> = {}) => handle({ ...request, ...sent }, new Uint8Array(0));
}

/** Notes when it is called. */
const noting = (name: string, calls: string[]): Stage => ({
  name,
  wrap: (next) => (exchange) => {
    calls.push(`${name} wraps`);
    return next(exchange);
  },
  recover: () => {
    calls.push(`${name} is asked`);
    return undefined;
  },
  finish: (_exchange, reply) => {
    calls.push(`${name} finishes`);
    return reply;
  },
});

test("stages see a request in their order, and its answer in the opposite one", async () => {
  const calls: string[] = [];
  const send = pipelineOf([noting("first", calls), noting("second", calls)]);
  assert.equal((await send()).status, 200);
  assert.deepEqual(calls, ["first wraps", "second wraps", "second finishes", "first finishes"]);
});

test("an error goes from the last stage to the first until one answers it", async () => {
  const calls: string[] = [];
  const seen: unknown[] = [];
  const answering: Stage = {
    name: "answering",
    recover: async (error) => {
      seen.push(error);
      return textReply(500, "answered");
    },
  };
  const failing: Next = () => {
    throw new Error("thrown at once");
  };
  const reply = await pipelineOf([noting("first", calls), answering, noting("last", calls)], failing)();
  assert.equal(reply.status, 500);
  assert.deepEqual(calls, ["first wraps", "last wraps", "last is asked", "last finishes", "first finishes"]);
  assert.match(String(seen[0]), /thrown at once/);
});

test("a stage may make another error of an error", async () => {
  const seen: string[] = [];
  const replacing: Stage = { name: "replacing", recover: () => Promise.reject(new Error("the other")) };
  const answering: Stage = {
    name: "answering",
    recover: async (error) => {
      seen.push(String(error));
      return textReply(500, "");
    },
  };
  await pipelineOf([answering, replacing], () => Promise.reject(new Error("the first")))();
  assert.deepEqual(seen, ["Error: the other"]);
});

test("an error that no stage answers rejects", async () => {
  await assert.rejects(pipelineOf([], () => Promise.reject(new Error("unexpected")))(), /unexpected/);
});

test("a stage that answers keeps the request from the stages behind it", async () => {
  const calls: string[] = [];
  const answering: Stage = { name: "answering", wrap: () => async () => textReply(403, "") };
  const reply = await pipelineOf([answering, noting("behind", calls)])();
  assert.equal(reply.status, 403);
  assert.deepEqual(calls, ["behind finishes"]);
});

const ids = [
  { name: "the id of the request that it belongs to", given: "abc", expect: "abc" },
  { name: "an id of its own", given: undefined, expect: "made" },
  { name: "an id of its own where the given one is empty", given: "", expect: "made" },
  { name: "an id of its own where the given one is too long", given: "x".repeat(65), expect: "made" },
];
for (const { name, given, expect } of ids) {
  test(`a request has ${name}`, async () => {
    let seen: PipelineExchange | undefined;
    const send = pipelineOf([], (exchange) => {
      seen = exchange;
      return ok(exchange);
    });
    await send({ headers: given === undefined ? {} : { "audit-id": given } });
    assert.equal(seen?.requestId, expect);
  });
}
