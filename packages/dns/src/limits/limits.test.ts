import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { ClientShares } from "./client-shares.ts";
import { limitedLog } from "./limited-log.ts";

/** Each client in turn takes one, until nobody gets any more. */
function greedy(shares: ClientShares, clients: number): number[] {
  const held = new Array<number>(clients).fill(0);
  for (let got = true; got; ) {
    got = false;
    for (let i = 0; i < clients; i++) {
      if (!shares.acquire(`client-${i}`)) continue;
      held[i] = (held[i] ?? 0) + 1;
      got = true;
    }
  }
  return held;
}

const cases = [
  { name: "one client gets half", clients: 1, each: 50 },
  { name: "three clients get a quarter each", clients: 3, each: 25 },
  { name: "nine clients get a tenth each", clients: 9, each: 10 },
];
for (const { name, clients, each } of cases)
  test(`of 100, ${name}, and one that comes new gets some`, () => {
    const shares = new ClientShares(100);
    assert.deepEqual(greedy(shares, clients), new Array(clients).fill(each));
    assert.equal(shares.acquire("new"), true);
  });

test("more clients than there is room never have more than there is", () => {
  const shares = new ClientShares(100);
  const held = greedy(shares, 1000);
  assert.equal(
    held.reduce((sum, one) => sum + one, 0),
    100,
  );
  assert.equal(Math.max(...held), 1);
  assert.equal(shares.acquire("new"), false);
});

test("what is released can be had again, and is released once", () => {
  const shares = new ClientShares(2);
  assert.deepEqual([shares.acquire("a"), shares.acquire("a")], [true, false]);
  shares.release("a");
  shares.release("a");
  assert.equal(shares.total, 0);
  assert.equal(shares.acquire("a"), true);
});

test("a message that is repeated is logged every ten seconds, with how many were left out", () => {
  const clock = new ManualClock();
  const logged: object[] = [];
  const log = limitedLog(clock, (fields) => logged.push(fields));
  for (let i = 0; i < 1000; i++) log({ i });
  clock.advance(10_000);
  log({ i: 1000 });
  clock.advance(10_000);
  log({ i: 1001 });
  assert.deepEqual(logged, [{ i: 0 }, { i: 1000, suppressed: 999 }, { i: 1001 }]);
});
