import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import fc from "fast-check";
import type { FlowRequest } from "./flow-request.ts";
import { type RequestUnderTest, requestUnderTest } from "./flow-request-under-test.ts";
import { QueueSet } from "./queue-set.ts";
import type { Queuing } from "./queuing.ts";
import type { TakesTurns, Turns } from "./thread-turns.ts";

const alwaysOpen: Turns = { isOpen: () => true, wait: () => undefined };
const queued: Queuing = { kind: "queue", queues: 16, handSize: 4, queueLengthLimit: 5 };

function levelOf(limit: number, queuing: Queuing = queued, turns = alwaysOpen) {
  const clock = new ManualClock();
  const set = new QueueSet(clock, turns);
  const now = (): number => clock.monotonic();
  set.configure(queuing, limit, now());
  const start = (options: RequestUnderTest = {}): FlowRequest => {
    const request = requestUnderTest({ at: now(), ...options });
    set.start(request, now());
    return request;
  };
  return { clock, set, start, end: (request: FlowRequest | undefined) => request && set.end(request, now()), now };
}

const phases = (requests: readonly FlowRequest[]) => requests.map(({ phase }) => phase);

test("requests run as long as there are seats, then wait, then are refused", () => {
  const { start, end, set } = levelOf(2, { ...queued, queues: 1, handSize: 1 });
  const requests = Array.from({ length: 8 }, () => start());
  assert.deepEqual(phases(requests), ["executing", "executing", ...Array.from({ length: 5 }, () => "waiting"), "refused"]);
  end(requests[1]);
  assert.deepEqual(phases(requests.slice(1, 4)), ["ended", "executing", "waiting"]);
  assert.deepEqual([set.waiting, set.executing, set.counts.rejected], [4, 2, 1]);
});

test("where nothing waits, what finds no seat is refused", () => {
  const { start, end } = levelOf(1, { kind: "reject" });
  const [first, second] = [start(), start()];
  assert.deepEqual(phases([first, second]), ["executing", "refused"]);
  end(first);
  assert.equal(start().phase, "executing");
});

test("exempt requests always run", () => {
  const { start } = levelOf(0, { kind: "exempt" });
  assert.deepEqual(new Set(phases(Array.from({ length: 1_000 }, () => start()))), new Set(["executing"]));
});

test("a flow that floods its queues does not keep another waiting", () => {
  const { clock, start, end } = levelOf(4);
  const flood = Array.from({ length: 24 }, () => start({ flow: "elephant" }));
  const mouse = start({ flow: "mouse" });
  let served = 0;
  while (mouse.phase === "waiting") {
    clock.advance(10);
    const running = flood.find(({ phase }) => phase === "executing");
    end(running);
    served++;
  }
  assert.equal(mouse.phase, "executing");
  assert.ok(served <= 5, `after ${served}`);
});

test("two flows that always have requests get about as much work done, however large theirs are", () => {
  const { clock, start, end, now } = levelOf(4, { kind: "queue", queues: 64, handSize: 1, queueLengthLimit: 50 });
  const work = new Map<string, number>();
  const running: FlowRequest[] = [];
  const flows = [
    ["narrow", 1],
    ["wide", 3],
  ] as const;
  const waiting = new Map<string, FlowRequest[]>(flows.map(([flow]) => [flow, []]));
  for (let round = 0; round < 4_000; round++) {
    for (const [flow, initialSeats] of flows) {
      const queue = (waiting.get(flow) ?? []).filter(({ phase }) => phase === "waiting");
      while (queue.length < 30) {
        const request = start({ flow, estimate: { initialSeats } });
        queue.push(request);
        running.push(request);
      }
      waiting.set(flow, queue);
    }
    clock.advance(3);
    const [oldest] = running.splice(
      running.findIndex(({ phase }) => phase === "executing"),
      1,
    );
    end(oldest);
    if (oldest === undefined) continue;
    const done = (now() - oldest.startedAt) * oldest.maxSeats;
    work.set(oldest.distinguisher, (work.get(oldest.distinguisher) ?? 0) + done);
  }
  const [narrow = 0, wide = 0] = flows.map(([flow]) => work.get(flow));
  // One by one, the wide ones would get three times as much. Seats that stay empty before a wide request are lost to both.
  assert.ok(narrow / wide > 0.75 && narrow / wide < 1.25, `${narrow} and ${wide}`);
});

test("one that needs more seats than there are runs alone", () => {
  const { start, end } = levelOf(3);
  const narrow = start({ flow: "a" });
  const wide = start({ flow: "b", estimate: { initialSeats: 10 } });
  assert.deepEqual(phases([narrow, wide]), ["executing", "waiting"]);
  end(narrow);
  assert.equal(wide.phase, "executing");
  assert.equal(start({ flow: "c" }).phase, "waiting");
});

test("seats are held for what a request leaves behind, while its client has its answer", () => {
  const { clock, start, end } = levelOf(2);
  const write = start({ flow: "a", estimate: { finalSeats: 2, additionalLatencyMs: 50 } });
  end(write);
  const next = start({ flow: "b" });
  assert.deepEqual(phases([write, next]), ["ended", "waiting"]);
  clock.advance(49);
  assert.equal(next.phase, "waiting");
  clock.advance(1);
  assert.equal(next.phase, "executing");
});

test("who has waited for too long is refused, by its own time", () => {
  const { clock, start, set } = levelOf(1);
  start();
  const [patient, hasty] = [start({ flow: "a", waitMs: 15_000 }), start({ flow: "b", waitMs: 100 })];
  clock.advance(100);
  assert.deepEqual(phases([patient, hasty]), ["waiting", "refused"]);
  clock.advance(14_900);
  assert.equal(patient.phase, "refused");
  assert.deepEqual([set.counts.timedOut, set.waiting], [2, 0]);
  assert.equal(clock.due, undefined);
});

test("nobody is kept out by requests that nobody waits for", () => {
  let isGone = false;
  const { start, end, set } = levelOf(1, { ...queued, queues: 1, handSize: 1 });
  const first = start();
  const left = Array.from({ length: 5 }, () => start({ isGone: () => isGone }));
  assert.equal(start().phase, "refused");
  isGone = true;
  const next = start();
  assert.equal(next.phase, "waiting");
  end(first);
  assert.equal(next.phase, "executing");
  assert.deepEqual(new Set(phases(left)), new Set(["refused"]));
  assert.equal(set.counts.cancelled, 5);
});

test("while the thread has no time, requests wait for their turn although there are seats", () => {
  let isOpen = false;
  const waiting: TakesTurns[] = [];
  const turns = { isOpen: () => isOpen, wait: (level: TakesTurns) => void waiting.push(level) };
  const { start, now } = levelOf(10, queued, turns);
  const request = start();
  assert.equal(request.phase, "waiting");
  isOpen = true;
  assert.equal(waiting[0]?.dispatchOne(now()), true);
  assert.equal(request.phase, "executing");
});

test("queues that are too many go when they are empty, and what is in them is served", () => {
  const { start, end, set, now } = levelOf(1, { kind: "queue", queues: 16, handSize: 1, queueLengthLimit: 5 });
  const requests = Array.from({ length: 40 }, (_, i) => start({ flow: `flow-${i}` }));
  set.configure({ kind: "queue", queues: 2, handSize: 1, queueLengthLimit: 5 }, 1, now());
  for (let left = requests.filter(({ phase }) => phase === "waiting").length + 1; left > 0; left--) {
    end(requests.find(({ phase }) => phase === "executing"));
  }
  assert.equal(set.queues.length, 2);
  assert.equal(set.isIdle, true);
});

test("whatever happens, no seat is lost and none is given twice", () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("start" as const), flow: fc.nat(8), seats: fc.nat(6), final: fc.nat(3), wait: fc.nat(500) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat(100) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(200) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("configure" as const), limit: fc.nat(8), queues: fc.integer({ min: 1, max: 12 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), which: fc.nat(100) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { clock, set, start, end, now } = levelOf(3);
      const all: FlowRequest[] = [];
      const gone = new Set<number>();
      for (const one of steps) {
        if (one.do === "start") {
          const index = all.length;
          const estimate = { initialSeats: 1 + one.seats, finalSeats: one.final, additionalLatencyMs: one.final * 10 };
          all.push(start({ flow: String(one.flow), waitMs: one.wait, estimate, isGone: () => gone.has(index) }));
        } else if (one.do === "end") end(all[one.which]);
        else if (one.do === "advance") clock.advance(one.ms);
        else if (one.do === "leave") gone.add(one.which);
        else set.configure({ kind: "queue", queues: one.queues, handSize: 1, queueLengthLimit: 4 }, one.limit, now());
        const count = (phase: FlowRequest["phase"]): number => all.filter((request) => request.phase === phase).length;
        assert.deepEqual([set.executing, set.waiting], [count("executing"), count("waiting")]);
      }
      // A limit of none would let only one at a time run, however many seats it needs.
      set.configure(queued, 3, now());
      for (let i = 0; i < all.length * 2; i++) {
        end(all.find(({ phase }) => phase === "executing"));
        clock.advance(100);
      }
      assert.equal(set.isIdle, true);
      clock.advance(1_000);
      assert.deepEqual(phases(["a", "b", "c"].map((flow) => start({ flow }))), ["executing", "executing", "executing"]);
      assert.equal(start().phase, "waiting");
    }),
    { numRuns: 300 },
  );
});
