import assert from "node:assert/strict";
import { test } from "node:test";
import { type TakesTurns, ThreadTurns } from "./thread-turns.ts";

/** A thread whose rounds and time the test makes. */
function thread() {
  let now = 0;
  const rounds: (() => void)[] = [];
  const turns = new ThreadTurns({ monotonic: () => now }, (begin) => void rounds.push(begin));
  return {
    turns,
    take: (ms: number) => {
      now += ms;
    },
    now: () => now,
    round: () => rounds.shift()?.(),
    rounds,
  };
}

function level(waiting: number, seats: number, ran: () => void = () => undefined) {
  let [served, left] = [0, waiting];
  const one: TakesTurns & { readonly left: number } = {
    get served() {
      return served;
    },
    get left() {
      return left;
    },
    catchUp: (to) => {
      served = Math.max(served, to);
    },
    dispatchOne: () => {
      if (left === 0) return false;
      left--;
      served += 1 / seats;
      ran();
      return true;
    },
  };
  return one;
}

test("requests begin for a while in each round, and the others wait for the next", () => {
  const { turns, take, now, round } = thread();
  assert.equal(turns.isOpen(now()), true);
  take(7);
  assert.equal(turns.isOpen(now()), true);
  take(2);
  assert.equal(turns.isOpen(now()), false);
  round();
  assert.equal(turns.isOpen(now()), true);
});

test("levels that wait are served as they have seats", () => {
  const { turns, round } = thread();
  const [many, few] = [level(1_000, 30), level(1_000, 10)];
  turns.wait(many);
  turns.wait(few);
  turns.isOpen(0);
  for (let i = 0; i < 10; i++) round();
  const [ofMany, ofFew] = [1_000 - many.left, 1_000 - few.left];
  assert.equal(ofMany + ofFew, 240);
  assert.ok(Math.abs(ofMany - 180) <= 2, `${ofMany}`);
});

test("a round ends when its time is over", () => {
  const { turns, take, round } = thread();
  const slow = level(10, 10, () => take(5));
  turns.wait(slow);
  turns.isOpen(0);
  round();
  assert.equal(slow.left, 8);
});

test("a level that comes later has no claim from before", () => {
  const { turns, round } = thread();
  const [early, late] = [level(1_000, 10), level(1_000, 10)];
  turns.wait(early);
  turns.isOpen(0);
  for (let i = 0; i < 5; i++) round();
  turns.wait(late);
  for (let i = 0; i < 2; i++) round();
  assert.ok(Math.abs(1_000 - late.left - 24) <= 1, `${late.left}`);
});

test("who has nothing that could run is forgotten, and no round is asked for where nothing runs", () => {
  const { turns, round, rounds } = thread();
  turns.wait(level(1, 1));
  turns.isOpen(0);
  for (let i = 0; i < 3; i++) round();
  assert.equal(rounds.length, 0);
});
