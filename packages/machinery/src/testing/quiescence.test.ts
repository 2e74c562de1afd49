import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../time/manual-clock.ts";
import { quiescence } from "./quiescence.ts";
import { waitUntil } from "./wait-until.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("quiescence comes after a chain of turns in which a count rises", async () => {
  let count = 0;
  void (async () => {
    for (; count < 50; count++) await turn();
  })();
  await quiescence({ observe: () => count });
  assert.equal(count, 50);
});

test("quiescence runs timers that are due, and what they set for the same moment", async () => {
  const clock = new ManualClock();
  const ran: string[] = [];
  clock.schedule(0, () => void turn().then(() => clock.schedule(0, () => ran.push("second"))));
  clock.schedule(1, () => ran.push("later"));
  await quiescence({ clock });
  assert.deepEqual(ran, ["second"]);
  assert.equal(clock.waiting, 1);
});

test("quiescence that never comes is an error that shows the state", async () => {
  let count = 0;
  await assert.rejects(
    quiescence({ observe: () => ++count }),
    /no quiescence after 100000 turns of the event loop; now: \[null,null,null,\d+\]/,
  );
});

test("waitUntil returns what the condition holds with, and gives up with a message", async () => {
  let asked = 0;
  assert.equal(await waitUntil("the third time", () => (++asked === 3 ? "third" : undefined)), "third");
  await assert.rejects(
    waitUntil("what never comes", async () => false, { limitMs: 5 }),
    { message: "gave up waiting for what never comes after 5 ms" },
  );
});
