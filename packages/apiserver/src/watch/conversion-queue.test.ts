import assert from "node:assert/strict";
import { test } from "node:test";
import { quiescence } from "@coxswain/machinery/testing";
import type { Revision, StoreEvent, WatchBatch } from "@coxswain/store";
import { bytesOf, ConversionQueue } from "./conversion-queue.ts";

const gone = (revision: number): StoreEvent => ({
  type: "delete",
  key: "/a",
  revision: revision as Revision,
  previous: { key: "/a", value: new Uint8Array(), created: 1 as Revision, modified: 1 as Revision, derived: undefined },
});
const batch = (revision: number, events = 1): WatchBatch => ({
  revision: revision as Revision,
  events: Array.from({ length: events }, () => gone(revision)),
});
const now = (revision: number): Revision => revision as Revision;

function setup() {
  const asked: { batches: readonly WatchBatch[]; answer: PromiseWithResolvers<readonly WatchBatch[]> }[] = [];
  const delivered: number[] = [];
  const failures: unknown[] = [];
  const queue = new ConversionQueue({
    convert: (batches) => {
      const answer = Promise.withResolvers<readonly WatchBatch[]>();
      asked.push({ batches, answer });
      return answer.promise;
    },
    deliver: ({ revision }) => void delivered.push(revision),
    sizeOf: bytesOf,
    fail: (error) => void failures.push(error),
  });
  const turn = () => quiescence({ observe: () => [asked.length, delivered, failures.length] });
  const answer = (): Promise<void> => {
    const last = asked.at(-1);
    last?.answer.resolve(last.batches);
    return turn();
  };
  return { queue, asked, delivered, failures, answer, turn };
}

test("what comes while a conversion is under way is converted together, in order", async () => {
  const { queue, asked, delivered, answer } = setup();
  for (const revision of [1, 2, 3]) queue.push(batch(revision));
  await answer();
  assert.deepEqual(delivered, [1]);
  await answer();
  assert.deepEqual(delivered, [1, 2, 3]);
  assert.deepEqual(
    asked.map(({ batches }) => batches.length),
    [1, 2],
  );
});

test("the revision of bookmarks follows what was delivered", async () => {
  const { queue, answer } = setup();
  assert.equal(queue.settled(now(7)), 7);
  queue.push(batch(8));
  assert.equal(queue.settled(now(8)), 7);
  queue.push(batch(9));
  await answer();
  assert.equal(queue.settled(now(9)), 8);
  await answer();
  assert.equal(queue.settled(now(9)), 9);
});

test("the revision of bookmarks is undefined before the first one is known, and never falls", async () => {
  const { queue, answer } = setup();
  queue.push(batch(5));
  assert.equal(queue.settled(now(5)), undefined);
  await answer();
  assert.equal(queue.settled(now(100)), 100);
  queue.push(batch(101));
  assert.equal(queue.settled(now(101)), 100);
  await answer();
  assert.equal(queue.settled(now(102)), 102);
});

test("after a failure nothing more is delivered", async () => {
  const { queue, asked, delivered, failures, turn } = setup();
  queue.push(batch(1));
  const error = new Error("down");
  asked[0]?.answer.reject(error);
  await turn();
  queue.push(batch(2));
  await turn();
  assert.deepEqual(failures, [error]);
  assert.deepEqual(delivered, []);
  assert.equal(asked.length, 1);
});

test("who falls too far behind is cut off", () => {
  const { queue, failures } = setup();
  queue.push(batch(1));
  queue.push(batch(2, 10_000));
  assert.deepEqual(failures, []);
  queue.push(batch(3));
  assert.deepEqual(failures, [undefined]);
});

test("who falls behind by too much that is large is cut off", () => {
  const { queue, failures } = setup();
  const large = new Uint8Array(1024 * 1024);
  queue.push(batch(1));
  const { events } = batch(2, 64);
  const heavy = events.map((event) => (event.type === "delete" ? { ...event, previous: { ...event.previous, value: large } } : event));
  queue.push({ revision: now(2), events: heavy });
  assert.deepEqual(failures, []);
  queue.push({ revision: now(3), events: heavy.slice(0, 1) });
  assert.deepEqual(failures, [undefined]);
});

test("a closed queue is silent", async () => {
  const { queue, delivered, failures, answer } = setup();
  queue.push(batch(1));
  queue.close();
  await answer();
  assert.deepEqual([delivered, failures], [[], []]);
});
