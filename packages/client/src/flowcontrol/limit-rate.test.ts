import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { type ScriptedAnswer, scriptedTransport } from "../rest/scripted-transport.ts";
import type { TransportRequest } from "../transport/transport.ts";
import { limitRate } from "./limit-rate.ts";

const found: ScriptedAnswer = { body: {} };
const request = (path: string, signal?: AbortSignal): TransportRequest => ({ method: "GET", path, headers: {}, signal });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function start() {
  const clock = new ManualClock();
  const inner = scriptedTransport(() => found);
  const isExempt = ({ path }: TransportRequest): boolean => path === "/lease";
  const limited = limitRate(inner, { qps: 2, burst: 3, clock, isExempt });
  return { clock, inner, limited, sent: () => inner.requests.map(({ path }) => path).join(" ") };
}

test("sends a burst at once, and then so many a second, in their order", async () => {
  const { clock, limited, sent } = start();
  const all = ["/1", "/2", "/3", "/4", "/5"].map((path) => limited.send(request(path)));
  await turn();
  assert.equal(sent(), "/1 /2 /3");
  clock.advance(499);
  await turn();
  assert.equal(sent(), "/1 /2 /3");
  clock.advance(1);
  await turn();
  assert.equal(sent(), "/1 /2 /3 /4");
  clock.advance(500);
  await Promise.all(all);
  assert.equal(sent(), "/1 /2 /3 /4 /5");
});

test("what is exempt neither waits nor counts", async () => {
  const { clock, limited, sent } = start();
  const all = ["/lease", "/1", "/2", "/3", "/4", "/lease"].map((path) => limited.send(request(path)));
  await turn();
  assert.equal(sent(), "/lease /1 /2 /3 /lease");
  clock.advance(500);
  await Promise.all(all);
});

test("who gives up while waiting sends nothing", async () => {
  const { clock, limited, sent } = start();
  const stop = new AbortController();
  const first = ["/1", "/2", "/3"].map((path) => limited.send(request(path)));
  const given = assert.rejects(limited.send(request("/4", stop.signal)), /enough/);
  stop.abort(new Error("enough"));
  await given;
  clock.advance(60_000);
  await Promise.all(first);
  assert.equal(sent(), "/1 /2 /3");
});

test("closes what it sends with", async () => {
  const { inner, limited } = start();
  await limited[Symbol.asyncDispose]();
  assert.equal(inner.disposed, true);
});

for (const [qps, burst] of [
  [0, 1],
  [Number.NaN, 1],
  [1, 0],
] as const)
  test(`${qps} requests a second with a burst of ${burst} are refused`, () => {
    assert.throws(
      () =>
        limitRate(
          scriptedTransport(() => found),
          { qps, burst, clock: new ManualClock() },
        ),
      RangeError,
    );
  });
