import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { Listen } from "./health-server.ts";
import { serveHealth } from "./serve-health.ts";

test("a health port that another program has is tried again each five seconds, and closed in the end", async () => {
  const clock = new ManualClock();
  const events: string[] = [];
  let isFree = false;
  const listen: Listen = async ({ port }) => {
    if (!isFree) throw Object.assign(new Error("taken"), { code: "EADDRINUSE" });
    return { port, [Symbol.asyncDispose]: async () => void events.push("closed") };
  };
  const log = { debug() {}, info: () => events.push("serving"), warn() {}, error: () => events.push("failed") };
  {
    await using _serving = serveHealth({ host: "127.0.0.1", port: 10_256 }, () => undefined, { listen, clock, log });
    await waitUntil("it has failed", () => events.length === 1);
    await clock.advance(5_000);
    await waitUntil("it has failed again", () => events.length === 2);
    isFree = true;
    await clock.advance(5_000);
    await waitUntil("it serves", () => events.at(-1) === "serving");
  }
  assert.deepEqual(events, ["failed", "failed", "serving", "closed"]);
});

test("a health port that never is free keeps nothing from ending", async () => {
  const listen: Listen = () => Promise.reject(new Error("taken"));
  const errors: object[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => errors.push(fields) };
  const serving = serveHealth({ host: "127.0.0.1", port: 1 }, () => undefined, { listen, clock: new ManualClock(), log });
  await waitUntil("it has failed", () => errors.length === 1);
  await serving[Symbol.asyncDispose]();
});
