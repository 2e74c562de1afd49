import assert from "node:assert/strict";
import { test } from "node:test";
import { lost, type ScriptedAnswer, scriptedTransport } from "../rest/scripted-transport.ts";
import type { TransportRequest } from "../transport/transport.ts";
import { createInFlightLimiter } from "./limit-in-flight.ts";

const found: ScriptedAnswer = { body: {} };
const request = (path: string, signal?: AbortSignal): TransportRequest => ({ method: "GET", path, headers: {}, signal });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Answers come when the test says so, by the paths of their requests. */
function start(maxInFlight: number) {
  const answers = new Map<string, (answer: ScriptedAnswer | Error) => void>();
  const inner = scriptedTransport(
    ({ path }) =>
      new Promise((resolve, reject) => answers.set(path, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)))),
  );
  const limited = createInFlightLimiter(maxInFlight).limit(inner);
  return {
    limited,
    sent: () => inner.requests.map(({ path }) => path),
    answer: async (path: string, answer: ScriptedAnswer | Error = found) => {
      answers.get(path)?.(answer);
      await turn();
    },
  };
}

test("sends no more than may be under way, and the others in their order", async () => {
  const { limited, sent, answer } = start(2);
  const all = ["/a", "/b", "/c", "/d"].map((path) => limited.send(request(path)));
  await turn();
  assert.deepEqual(sent(), ["/a", "/b"]);
  await answer("/b");
  assert.deepEqual(sent(), ["/a", "/b", "/c"]);
  await answer("/c");
  assert.deepEqual(sent(), ["/a", "/b", "/c", "/d"]);
  await answer("/a");
  await answer("/d");
  await Promise.all(all);
});

test("gives a place on to the first of the line, whoever comes in the same moment", async () => {
  const { limited, sent, answer } = start(1);
  const first = limited.send(request("/a"));
  const second = limited.send(request("/b"));
  const late = first.then(() => limited.send(request("/c")));
  await turn();
  await answer("/a");
  assert.deepEqual(sent(), ["/a", "/b"]);
  await answer("/b");
  assert.deepEqual(sent(), ["/a", "/b", "/c"]);
  await answer("/c");
  await Promise.all([second, late]);
});

test("the bound is one for all transports", async () => {
  const limiter = createInFlightLimiter(1);
  const answer = Promise.withResolvers<ScriptedAnswer>();
  const [one, other] = [scriptedTransport(() => answer.promise), scriptedTransport(() => found)];
  const first = limiter.limit(one).send(request("/a"));
  const second = limiter.limit(other).send(request("/b"));
  await turn();
  assert.equal(other.requests.length, 0);
  answer.resolve(found);
  await Promise.all([first, second]);
  assert.equal(other.requests.length, 1);
});

test("a request that fails gives its place", async () => {
  const { limited, sent, answer } = start(1);
  const failing = assert.rejects(limited.send(request("/a")), /was reset/);
  const second = limited.send(request("/b"));
  await turn();
  await answer("/a", lost());
  await failing;
  assert.deepEqual(sent(), ["/a", "/b"]);
  await answer("/b");
  await second;
});

test("a request that is given up in the line is never sent, and holds nobody up", async () => {
  const { limited, sent, answer } = start(1);
  const stop = new AbortController();
  const first = limited.send(request("/a"));
  const given = assert.rejects(limited.send(request("/b", stop.signal)), /enough/);
  const third = limited.send(request("/c"));
  stop.abort(new Error("enough"));
  await given;
  await answer("/a");
  assert.deepEqual(sent(), ["/a", "/c"]);
  await answer("/c");
  await Promise.all([first, third]);
});

test("a bound under which nothing could be sent is refused", () => {
  for (const maxInFlight of [0, -1, Number.NaN]) assert.throws(() => createInFlightLimiter(maxInFlight), RangeError);
});
