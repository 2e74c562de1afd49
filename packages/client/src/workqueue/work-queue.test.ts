import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, MetricsRegistry } from "@coxswain/machinery";
import { exposeQueue, queueObserver } from "./queue-metrics.ts";
import { exponentialBackoff } from "./rate-limiter.ts";
import { type Claim, createWorkQueue, type WorkQueue } from "./work-queue.ts";

function start(): { clock: ManualClock; queue: WorkQueue<string>; stop: AbortController; worker: AsyncIterableIterator<Claim<string>> } {
  const clock = new ManualClock();
  const queue = createWorkQueue<string>({ clock, rateLimiter: exponentialBackoff() });
  const stop = new AbortController();
  return { clock, queue, stop, worker: queue.claims(stop.signal) };
}

async function claim(worker: AsyncIterableIterator<Claim<string>>): Promise<Claim<string>> {
  const { value, done } = await worker.next();
  assert.ok(!done && value !== undefined, "the queue has ended");
  return value;
}

/** Works off what waits now, and says which keys in which order. */
async function workOff(queue: WorkQueue<string>, worker: AsyncIterableIterator<Claim<string>>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.stats.depth > 0) {
    assert.ok(keys.length < 1_000, "the queue does not become empty");
    using taken = await claim(worker);
    keys.push(taken.key);
  }
  return keys;
}

test("hands out keys in their order, each once however often it was added", async () => {
  const { queue, worker } = start();
  for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
  assert.deepEqual(await workOff(queue, worker), ["a", "b", "c"]);
});

test("gives a key to one worker at a time, and again when it was added meanwhile", async () => {
  const { queue, worker, stop } = start();
  queue.add("a");
  const first = await claim(worker);
  queue.add("a");
  queue.add("a");
  assert.equal(queue.stats.depth, 0);
  const other = claim(queue.claims(stop.signal));
  first[Symbol.dispose]();
  const second = await other;
  assert.equal(second.key, "a");
  second[Symbol.dispose]();
  assert.equal(queue.stats.depth, 0);
});

test("releases a key once, even when it is disposed twice", async () => {
  const { queue, worker } = start();
  queue.add("a");
  const first = await claim(worker);
  first[Symbol.dispose]();
  queue.add("a");
  const second = await claim(worker);
  first[Symbol.dispose]();
  assert.equal(queue.stats.claimed, 1);
  second[Symbol.dispose]();
});

test("a key that is added with several delays is given out after the shortest", async () => {
  const { clock, queue, worker } = start();
  queue.add("a", { afterMs: 1000 });
  queue.add("a", { afterMs: 300 });
  queue.add("a", { afterMs: 2000 });
  queue.add("b", { afterMs: 200 });
  assert.deepEqual([queue.stats.delayed, clock.waiting], [2, 1]);
  clock.advance(299);
  assert.deepEqual(await workOff(queue, worker), ["b"]);
  clock.advance(1);
  assert.deepEqual(await workOff(queue, worker), ["a"]);
  assert.equal(clock.waiting, 0);
});

test("a key that is added while it waits for its time comes at both moments", async () => {
  const { clock, queue, worker } = start();
  queue.add("a", { afterMs: 100 });
  queue.add("a");
  assert.deepEqual(await workOff(queue, worker), ["a"]);
  clock.advance(100);
  assert.deepEqual(await workOff(queue, worker), ["a"]);
});

test("doubles the backoff with each retry, and clears it when the key does well", async () => {
  const { clock, queue, worker } = start();
  queue.add("a");
  const waited: number[] = [];
  for (const outcome of ["retry", "retry", "retry", "well", "retry"]) {
    const taken = await claim(worker);
    if (outcome === "retry") taken.retry();
    else queue.add("a", { afterMs: 50 });
    taken[Symbol.dispose]();
    const before = clock.monotonic();
    while (queue.stats.depth === 0) {
      assert.ok(clock.monotonic() - before < 1_000, "the key does not come back");
      clock.advance(1);
    }
    waited.push(clock.monotonic() - before);
  }
  assert.deepEqual(waited, [5, 10, 20, 50, 5]);
});

test("takes low keys after the others, but lets them not starve", async () => {
  const { queue, worker } = start();
  queue.add("initial", { priority: "low" });
  queue.add("raised", { priority: "low" });
  for (let i = 0; i < 20; i++) queue.add(`change-${i}`);
  queue.add("raised");
  const order = await workOff(queue, worker);
  assert.equal(order.indexOf("initial"), 15);
  assert.equal(order.indexOf("raised"), 21);
});

test("keys that are objects are distinguished by their id", async () => {
  const queue = createWorkQueue<{ name: string }>({ clock: new ManualClock(), idOf: (key) => key.name });
  queue.add({ name: "a" });
  queue.add({ name: "a" });
  queue.add({ name: "b" });
  assert.equal(queue.stats.depth, 2);
});

test("an aborted worker ends, and takes nothing with it", async () => {
  const { queue, stop, worker } = start();
  const waiting = worker.next();
  stop.abort();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  queue.add("a");
  assert.equal(queue.stats.depth, 1);
  assert.equal((await worker.next()).done, true);
});

test("closing takes nothing more, hands out what waits, and resolves when all is released", async () => {
  const { clock, queue, worker } = start();
  for (const key of ["a", "b"]) queue.add(key);
  queue.add("late", { afterMs: 10 });
  const first = await claim(worker);
  queue.add("a");
  let drained = false;
  const closing = queue.close().then(() => {
    drained = true;
  });
  queue.add("c");
  assert.equal(clock.waiting, 0);
  first.retry();
  first[Symbol.dispose]();
  const rest: string[] = [];
  for await (using taken of worker) {
    assert.equal(drained, false);
    rest.push(taken.key);
  }
  await closing;
  assert.deepEqual(rest, ["b", "a"]);
});

test("disposing drops everything and leaves no timer", async () => {
  const { clock, queue, worker } = start();
  queue.add("a");
  const taken = await claim(worker);
  queue.add("a");
  queue.add("b");
  queue.add("c", { afterMs: 10 });
  const other = queue.claims(new AbortController().signal);
  queue[Symbol.dispose]();
  taken.retry();
  taken[Symbol.dispose]();
  assert.equal((await other.next()).done, true);
  assert.deepEqual([queue.stats.depth, queue.stats.delayed, clock.waiting], [0, 0, 0]);
});

test("counts what happens under the names that dashboards know", async () => {
  const clock = new ManualClock();
  const registry = new MetricsRegistry();
  const queue = createWorkQueue<string>({ clock, rateLimiter: exponentialBackoff(), observer: queueObserver(registry, "web") });
  using _ = exposeQueue(registry, "web", () => queue.stats);
  const worker = queue.claims(new AbortController().signal);
  for (const key of ["a", "a", "b", "c"]) queue.add(key);
  for (const key of ["x", "y", "z"]) queue.add(key, { priority: "low" });
  queue.add("z");
  clock.advance(2000);
  const a = await claim(worker);
  clock.advance(3000);
  a.retry();
  a[Symbol.dispose]();
  await claim(worker);
  clock.advance(1000);
  const text = registry.text();
  for (const line of [
    'workqueue_adds_total{name="web",controller="web"} 7',
    'workqueue_retries_total{name="web",controller="web"} 1',
    'workqueue_depth{name="web",controller="web",priority="0"} 3',
    'workqueue_depth{name="web",controller="web",priority="-100"} 2',
    'workqueue_queue_duration_seconds_sum{name="web",controller="web"} 7',
    'workqueue_work_duration_seconds_sum{name="web",controller="web"} 3',
    'workqueue_unfinished_work_seconds{name="web",controller="web"} 1',
    'workqueue_longest_running_processor_seconds{name="web",controller="web"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} is not in\n${text}`);
});
