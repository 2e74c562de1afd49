import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, StatusError } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Exchange } from "../contracts/exchange.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { parseRequest } from "../request/request-info.ts";
import { Offloader, type OffloadWorker } from "./offloader.ts";
import type { OffloadJob, Served } from "./protocol.ts";

/** Answers when the test resolves the job. */
class FakeHelper implements OffloadWorker {
  ended = false;
  readonly jobs: { readonly job: OffloadJob; readonly answer: PromiseWithResolvers<Served> }[] = [];

  serve(job: OffloadJob): Promise<Served> {
    const answer = Promise.withResolvers<Served>();
    this.jobs.push({ job, answer });
    return answer.promise;
  }

  end(reason: Error): void {
    this.ended = true;
    for (const { answer } of this.jobs) answer.reject(reason);
  }

  [Symbol.dispose](): void {
    this.end(new Error("closing"));
  }
}

function offloader() {
  const clock = new ManualClock();
  const helpers: FakeHelper[] = [];
  const start = (): FakeHelper => {
    const helper = new FakeHelper();
    helpers.push(helper);
    return helper;
  };
  const settle = (): Promise<void> => quiescence({ clock, observe: () => helpers.map(({ jobs, ended }) => [jobs.length, ended]) });
  return { clock, helpers, settle, work: new Offloader(start, clock) };
}

const path = "/api/v1/namespaces/a/configmaps";
const info = parseRequest("POST", path, false) as ResourceRequest;
const megabytes = (count: number, user = "me"): Exchange => ({
  request: { method: "POST", path, query: "", headers: {}, remoteAddress: "", http1: false },
  query: new URLSearchParams(),
  body: new Uint8Array(count * 1024 * 1024),
  info,
  user: { name: user, uid: "", groups: [], extra: {} },
  requestId: "1",
  warnings: ["of the first try"],
});

const done: Served = {
  outcome: { ok: true, value: { status: 201, contentType: "application/json", headers: {}, bytes: new Uint8Array(2) } },
  warnings: ["of the second"],
  audit: undefined,
};

test("an answer comes with its warnings, instead of those of a first try", async () => {
  const { work, helpers, settle } = offloader();
  const exchange = megabytes(1);
  const reply = work.serve(exchange, info);
  await settle();
  helpers[0]!.jobs[0]!.answer.resolve(done);
  assert.equal((await reply).status, 201);
  assert.deepEqual(exchange.warnings, ["of the second"]);
});

test("two are under way at a time, the others wait for their turn", async () => {
  const { work, helpers, settle } = offloader();
  const replies = [1, 2, 3, 4].map((size) => work.serve(megabytes(size), info));
  await settle();
  const { jobs } = helpers[0]!;
  const sizes = (): number[] => jobs.map(({ job }) => job.body.byteLength / 1024 / 1024);
  assert.deepEqual(sizes(), [1, 2]);
  jobs[1]!.answer.resolve(done);
  await settle();
  assert.deepEqual(sizes(), [1, 2, 3]);
  for (const { answer } of jobs) answer.resolve(done);
  await settle();
  for (const { answer } of jobs) answer.resolve(done);
  assert.equal((await Promise.all(replies)).length, 4);
});

test("a request beyond the length of the queue is answered with 429", async () => {
  const { work } = offloader();
  const isTooMuch = (error: unknown): boolean => error instanceof StatusError && error.code === 429;
  const fill = (user: string, count: number): unknown => Array.from({ length: count }, () => work.serve(megabytes(3, user), info));
  fill("me", 2 + 16);
  await assert.rejects(work.serve(megabytes(1), info), isTooMuch);
  fill("you", 16);
  await assert.rejects(work.serve(megabytes(1, "she"), info), isTooMuch);
});

test("users take turns", async () => {
  const { work, helpers, settle } = offloader();
  const replies = ["me", "me", "me", "me", "me", "you", "she"].map((user) => work.serve(megabytes(1, user), info));
  for (let i = 0; i < replies.length; i++) {
    await settle();
    helpers[0]!.jobs[i]!.answer.resolve(done);
  }
  await Promise.all(replies);
  assert.deepEqual(
    helpers[0]!.jobs.map(({ job }) => job.user.name),
    ["me", "me", "me", "you", "she", "me", "me"],
  );
});

test("a thread that does not answer in time is ended, and the next request begins with another", async () => {
  const { work, helpers, clock, settle } = offloader();
  const late = work.serve(megabytes(1), info);
  await settle();
  clock.advance(60_000);
  await assert.rejects(late, (error) => error instanceof StatusError && error.code === 504);
  const next = work.serve(megabytes(1), info);
  await settle();
  assert.equal(helpers.length, 2);
  helpers[1]!.jobs[0]!.answer.resolve(done);
  assert.equal((await next).status, 201);
});

test("a request that takes too long does not take another with it", async () => {
  const { work, helpers, clock, settle } = offloader();
  const slow = work.serve(megabytes(1), info);
  await settle();
  clock.advance(59_000);
  const other = work.serve(megabytes(1), info);
  await settle();
  clock.advance(1_000);
  await assert.rejects(slow, { code: 504 });
  const next = work.serve(megabytes(1), info);
  await settle();
  assert.deepEqual([helpers.length, helpers[0]!.ended], [2, false]);
  helpers[0]!.jobs[1]!.answer.resolve(done);
  assert.equal((await other).status, 201);
  assert.equal(helpers[0]!.ended, true);
  helpers[1]!.jobs[0]!.answer.resolve(done);
  assert.equal((await next).status, 201);
  assert.equal(helpers[1]!.ended, false);
});

test("when the server closes, nothing that waits begins any more", async () => {
  const { work, helpers, settle } = offloader();
  const replies = Array.from({ length: 4 }, () => work.serve(megabytes(1), info));
  await settle();
  work[Symbol.dispose]();
  const outcomes = await Promise.allSettled(replies);
  assert.ok(outcomes.every(({ status }) => status === "rejected"));
  await assert.rejects(work.serve(megabytes(1), info), { code: 500 });
  assert.deepEqual(
    helpers.map(({ jobs, ended }) => [jobs.length, ended]),
    [[2, true]],
  );
});

test("a thread that has nothing to do ends after a while", async () => {
  const { work, helpers, clock, settle } = offloader();
  const reply = work.serve(megabytes(1), info);
  await settle();
  helpers[0]!.jobs[0]!.answer.resolve(done);
  await reply;
  clock.advance(299_999);
  assert.equal(helpers[0]!.ended, false);
  clock.advance(1);
  assert.equal(helpers[0]!.ended, true);
});
