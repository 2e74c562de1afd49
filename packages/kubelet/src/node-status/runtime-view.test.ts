import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, ManualClock } from "@coxswain/machinery";
import { RuntimeView } from "./runtime-view.ts";

const hourMs = 3_600_000;
for (const shiftMs of [hourMs, -hourMs])
  test(`a calendar that is set ${shiftMs > 0 ? "forward" : "back"} says nothing about the runtime`, async () => {
    const manual = new ManualClock();
    let offset = 0;
    const clock: Clock = {
      now: () => manual.now() + offset,
      monotonic: () => manual.monotonic(),
      schedule: (afterMs, fn) => manual.schedule(afterMs, fn),
    };
    let isSilent = false;
    const status = async () => {
      if (isSilent) throw new Error("no answer");
      return { ready: true, networkReady: true, message: "", handlers: [] };
    };
    const view = new RuntimeView({ status, listImages: async () => [] }, clock);
    const { signal } = new AbortController();
    await view.refresh(signal);
    offset = shiftMs;
    isSilent = true;
    await view.refresh(signal);
    assert.deepEqual(view.problems(), []);
    manual.advance(30_000);
    await view.refresh(signal);
    assert.deepEqual(view.problems(), ["container runtime is down"]);
  });
