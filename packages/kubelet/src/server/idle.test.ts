import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { endWhenIdle } from "./idle.ts";

test("a connection ends when nothing went over it for so long, in either direction", () => {
  const clock = new ManualClock();
  const socket = {
    bytesRead: 0,
    bytesWritten: 0,
    destroyed: false,
    destroy() {
      this.destroyed = true;
    },
  };
  using _watch = endWhenIdle(socket as unknown as Socket, 1_000, clock);
  socket.bytesRead++;
  clock.advance(1_000);
  socket.bytesWritten++;
  clock.advance(1_000);
  assert.equal(socket.destroyed, false);
  clock.advance(1_000);
  assert.equal(socket.destroyed, true);
  assert.equal(clock.waiting, 0);
});

test("what has ended is not watched any more", () => {
  const clock = new ManualClock();
  endWhenIdle({ bytesRead: 0, bytesWritten: 0, destroyed: false } as Socket, 1_000, clock)[Symbol.dispose]();
  assert.equal(clock.waiting, 0);
});
